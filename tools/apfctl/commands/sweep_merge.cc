#include "commands/sweep_merge.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <apf/error.h>

#include "shared/interrupts.h"
#include "shared/output.h"

namespace apfctl {

namespace {

bool is_partial(const std::string& name) {
  return name.starts_with("task-") && name.ends_with(".json") && name.find("-of-") != std::string::npos;
}

// Of a folder: its partial results, by name.
void add_partial_results(const std::string& path, std::vector<std::string>& files) {
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

apf::SweepReport merge_results(const std::vector<std::string>& paths, bool allow_missing, const apf::SweepRows& rows) {
  std::vector<std::string> files;
  for (const std::string& path : paths) add_partial_results(path, files);
  for (const std::string& file : files) claim_input(file);
  apf::MergeOptions options;
  options.allow_missing = allow_missing;
  options.interrupted = &g_interrupted;
  return apf::merge_sweep(files, options, rows);
}

}  // namespace apfctl
