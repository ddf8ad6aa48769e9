// apfctl merge: the report of a sweep, from the partial results of its tasks.

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <apf/error.h>
#include <apf/sweep.h>

#include "commands.h"
#include "exit_code.h"
#include "log_gate.h"
#include "output.h"
#include "sweep_output.h"

namespace apfctl {

namespace {

struct MergeFlags {
  Console console;
  OutputFlags output;
  bool allow_missing = false;
  SweepGate gate;
};

void declare(CommandLine& line, MergeFlags& flags) {
  line.synopsis("merge FILE... [FLAG]...");
  line.about(
      "Makes the report of apfctl sweep from the partial results of its tasks: the same bytes that one process would "
      "have written. FILE: a partial result, or a folder with them.");
  line.example("the report of all tasks", "apfctl merge results/");
  line.example("the report of the tasks that succeeded, if some failed", "apfctl merge results/ --allow-missing");
  line.flag("--allow-missing", flags.allow_missing,
            "Merge the others if partial results are missing or broken. The report names these; the exit code is 1.");
  line.flag("--allow-empty", flags.gate.allow_empty, kAllowEmptyHelp);
  declare_allow_disagreement(line, flags.gate.allow_disagreement);
  SweepOutput::declare(line, flags.output);
  flags.console.declare(line);
}

bool is_partial(const std::string& name) {
  return name.starts_with("task-") && name.ends_with(".json") && name.find("-of-") != std::string::npos;
}

// Of a folder: its partial results, by name.
void add_files(const std::string& path, std::vector<std::string>& files) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::exists(path, error) && error.value() == 0)
    throw apf::Error("there is no " + path +
                     ": give the folder that the tasks wrote to (apfctl sweep --partial DIR), or files of it");
  if (!fs::is_directory(path, error)) {
    files.push_back(path);
    return;
  }
  std::vector<std::string> names;
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
    if (is_partial(at->path().filename().string())) names.push_back(at->path().string());
  if (error) throw apf::Error("cannot read the folder " + path + ": " + error.message());
  if (names.empty()) throw apf::Error("there is no partial result (task-K-of-N.json) in " + path);
  std::sort(names.begin(), names.end());
  files.insert(files.end(), names.begin(), names.end());
}

}  // namespace

int cmd_merge(CommandLine& line) {
  MergeFlags flags;
  declare(line, flags);
  if (!line.parse()) return 0;
  const std::vector<std::string>& paths = line.arguments(1, CommandLine::kAnyNumber, "FILE");
  flags.console.check();
  flags.output.check();
  std::vector<std::string> files;
  for (const std::string& path : paths) add_files(path, files);
  for (const std::string& file : files) claim_input(file);
  apf::MergeOptions options;
  options.allow_missing = flags.allow_missing;
  watch_interrupts();
  options.interrupted = &g_interrupted;
  SweepOutput output(flags.output, flags.console);
  apf::SweepReport report = apf::merge_sweep(files, options, output.rows());
  end_watch();
  return finish_sweep(output, report, flags.gate);
}

}  // namespace apfctl
