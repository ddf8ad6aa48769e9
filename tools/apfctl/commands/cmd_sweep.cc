// apfctl sweep: the replays of a plan, all of them or the share of one task.

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <apf/error.h>
#include <apf/sweep.h>

#include "commands/sweep_flag_files.h"
#include "commands/sweep_merge.h"
#include "commands/sweep_output.h"
#include "commands/sweep_task_flags.h"
#include "flags/memory_flag.h"
#include "flags/object_counts.h"
#include "flags/replay_flags.h"
#include "shared/commands.h"
#include "shared/exit_code.h"
#include "shared/folder_notes.h"
#include "shared/git_objects.h"
#include "shared/input.h"
#include "shared/output.h"
#include "shared/sources.h"

namespace apfctl {

namespace {

struct SweepCommandFlags {
  Console console;
  OutputFlags output;
  ConfigFlags config;
  SweepTaskFlags task;
  MemoryFlag memory;
  std::string threads = "0";
  SweepGate gate;
  bool allow_git = false, merge = false, allow_missing = false;
};

void declare(CommandLine& line, SweepCommandFlags& flags) {
  line.synopsis("sweep PLAN [FLAG]...\n       apfctl sweep --merge FILE... [FLAG]...");
  line.about(
      "Which configuration serves the logs of all servers best?",
      "Replays each log of a plan under each of its configurations, sets of flags and seeds, and compares them. PLAN: "
      "a "
      "YAML file as in apfctl-sweep(1). With --partial it does one task's share, for engines that run many tasks, such "
      "as Slurm, GNU parallel or a Kubernetes Job; --merge makes the report of their results, the same bytes that one "
      "process would have written.");
  line.example("all replays of a plan", "apfctl sweep examples/fleet/plan-short.yaml");
  line.example("one of two tasks, on one of several machines",
               "apfctl sweep examples/fleet/plan-short.yaml --task 1/2 --partial results/");
  line.example("the report of the tasks that succeeded", "apfctl sweep --merge results/ --allow-missing");
  flags.task.declare(line);
  line.flag("--merge", flags.merge,
            "Make the report of the partial results FILE: files that --partial wrote, or folders with them.");
  line.flag("--allow-missing", flags.allow_missing,
            "With --merge: merge the others if partial results are missing or broken. The report names these; the exit "
            "code is 1.");
  line.heading("Replays");
  line.flag("--no-validate", flags.config.no_validate,
            "Continue if a configuration has errors, with the objects that can be decoded.");
  line.flag("--allow-empty", flags.gate.allow_empty, kAllowEmptyHelp);
  declare_allow_disagreement(line, flags.gate.allow_disagreement);
  line.flag("--allow-git", flags.allow_git,
            "Let the plan name configurations in git (git:REV[:PATH]), which starts git.");
  flags.memory.declare(line);
  line.option("--threads", flags.threads, "N",
              "Number of threads (default: one per processor). The result is the same.");
  SweepOutput::declare(line, flags.output);
  flags.console.declare(line);
}

// Those of the task, before any of them is replayed for a long time.
void check_logs(const apf::SweepPlan& plan, const apf::SweepOptions& options, const apf::SweepTask& task) {
  const std::uint64_t of_log = options.replays_of_log();
  const apf::SweepShare share = apf::share_of(task, plan.logs.size(), of_log);
  for (std::uint64_t i = share.first / of_log; share.first < share.end && i * of_log < share.end; ++i) {
    const apf::SweepLog& log = plan.logs[static_cast<std::size_t>(i)];
    for (const std::string& file : log.files) {
      if (file == "-" || ::access(file.c_str(), R_OK) == 0) continue;
      throw apf::Error(fmt::format("{}:{}: logs: cannot open {}: {}", apf::printable(plan.name), log.span.line,
                                   apf::printable(file), std::strerror(errno)));
    }
  }
}

// Everything that decides the results goes into `texts`.
std::optional<apf::SweepPlan> read_plan(const std::string& path, const SweepCommandFlags& flags,
                                        std::vector<std::string>& texts) {
  const apf::ConfigText text = {path == "-" ? kStdinName : path, read_text(path)};
  apf::SweepPlan plan = apf::read_sweep_plan(text);
  if (!plan.faults.empty()) {
    print_findings(plan.faults, std::vector<apf::ConfigText>{text}, flags.console);
    return std::nullopt;
  }
  std::vector<std::string> inputs = {path};
  for (const apf::SweepLog& log : plan.logs) {
    inputs.insert(inputs.end(), log.files.begin(), log.files.end());
    inputs.push_back(log.objects);
  }
  for (const apf::SweepConfiguration& configuration : plan.configurations)
    inputs.insert(inputs.end(), configuration.files.begin(), configuration.files.end());
  check_one_stdin({inputs});
  texts.push_back(text.text);
  for (apf::SweepLog& log : plan.logs) {
    for (const std::string& file : log.files) claim_input(file);
    if (log.objects.empty()) continue;
    texts.push_back(read_text(log.objects));
    log.counts = std::make_shared<const apf::ObjectCounts>(parse_object_counts(texts.back(), log.objects));
  }
  if (!read_flag_files(plan, flags.console, flags.config.no_validate, texts)) return std::nullopt;
  return plan;
}

std::optional<apf::SweepOptions> load(const apf::SweepPlan& plan, const SweepCommandFlags& flags,
                                      std::vector<std::string> texts) {
  std::vector<apf::Config> configs;
  for (const apf::SweepConfiguration& configuration : plan.configurations) {
    for (const std::string& file : configuration.files)
      if (is_in_git(file) && !flags.allow_git)
        throw apf::Error(apf::printable(plan.name + ": " + file) +
                         " is in git, which a plan starts only with --allow-git");
    apf::FolderContents contents;
    std::vector<apf::ConfigText> read;
    if (!configuration.files.empty()) read = read_sources(configuration.files, contents);
    note_left_out(contents, "lint", flags.console);
    texts.push_back(fmt::format("{}: {}", configuration.name, read.size()));
    for (const apf::ConfigText& text : read) texts.push_back(text.text);
    for (const apf::SweepFlags& set : plan.flags) {
      ReleaseFlags release;
      release.version = set.version();
      if (set.kubernetes_version) release.given = set.kubernetes_version->str();
      if (set.builtins) release.builtins = *set.builtins;
      std::optional<apf::Config> config = flags.config.load(read, configuration.files, flags.console, release);
      if (!config) return std::nullopt;
      refuse_kep(*config);
      configs.push_back(std::move(*config));
    }
  }
  apf::SweepOptions options = apf::sweep_options(plan, std::move(configs));
  options.digest = apf::sweep_digest(texts);
  return options;
}

Setup setup_of(const apf::SweepPlan& plan, const apf::SweepOptions& options) {
  Setup out = {{"Plan", apf::printable(plan.name)}};
  for (const apf::SweepConfiguration& configuration : plan.configurations)
    out.emplace_back("Configuration " + configuration.name,
                     configuration.files.empty() ? "the built-in objects" : join(configuration.files));
  for (std::size_t i = 0; i < plan.flags.size(); ++i) {
    const apf::ReplayOptions& server = options.combinations[i].replay;
    const std::string seats = plural(static_cast<std::uint64_t>(server.server_concurrency_limit), "seat", "seats");
    out.emplace_back(plan.flags[i].name.empty() ? "Server" : "Server " + plan.flags[i].name,
                     "Kubernetes " + server.version.str() + ", " +
                         (server.in_flight      ? "API Priority and Fairness off"
                          : server.seats_by_log ? "the seats that its log says, or else " + seats
                                                : seats));
  }
  return out;
}

int run_task(const SweepCommandFlags& flags, const SweepTaskFlags::Found& found, const apf::SweepOptions& options) {
  const apf::SweepTask& task = found.task;
  if (!found.from.empty()) flags.console.note(fmt::format("task {} of {}, by {}", task.number, task.of, found.from));
  const std::string path = flags.task.path_of(task);
  claim_output("--partial", path);
  if (!apf::sweep_task(options, task, path)) return kInterrupted;
  end_watch();
  const apf::SweepShare share = apf::share_of(task, options.logs.size(), options.replays_of_log());
  flags.console.note(fmt::format("task {} of {}: {} of {} replays in {}", task.number, task.of,
                                 apf::grouped(share.end - share.first), apf::grouped(options.replays()),
                                 apf::printable(path)));
  return 0;
}

int run_merge(const CommandLine& line, const SweepCommandFlags& flags) {
  if (flags.task.partial || flags.task.task || flags.allow_git || flags.config.no_validate)
    throw UsageError("--merge reads partial results: --partial, --task, --allow-git and --no-validate are for a PLAN");
  watch_interrupts();
  SweepOutput output(flags.output, flags.console);
  const std::vector<std::string>& files = line.arguments(1, CommandLine::kAnyNumber, "FILE");
  apf::SweepReport report = merge_results(files, flags.allow_missing, output.rows());
  end_watch();
  return finish_sweep(output, report, flags.gate, {{"Partial results", join(files)}});
}

}  // namespace

int cmd_sweep(CommandLine& line) {
  SweepCommandFlags flags;
  declare(line, flags);
  if (!line.parse()) return 0;
  if (!flags.merge) line.arguments(1, 1, "PLAN");
  flags.console.check();
  flags.output.check();
  if (flags.merge) return run_merge(line, flags);
  if (flags.allow_missing) throw UsageError("--allow-missing needs --merge");
  const std::string path = line.arguments(1, 1, "PLAN").front();
  flags.config.notes_maintained = false;  // each task would say it of each configuration
  const std::optional<SweepTaskFlags::Found> task = flags.task.find();
  if (task && !flags.output.given.empty()) throw UsageError("--partial writes a partial result: -o belongs to --merge");
  claim_input(path);
  std::vector<std::string> texts;
  const std::optional<apf::SweepPlan> plan = read_plan(path, flags, texts);
  if (!plan) return kUsageOrInput;
  std::optional<apf::SweepOptions> options = load(*plan, flags, std::move(texts));
  if (!options) return kUsageOrInput;
  check_logs(*plan, *options, task ? task->task : apf::SweepTask{1, 1});
  options->memory = flags.memory.bytes();
  options->threads = static_cast<int>(parse_int("--threads", flags.threads, 0, 1024));
  watch_interrupts();
  options->interrupted = &g_interrupted;
  ProgressLine progress(!flags.console.quiet);
  options->progress = [&](std::uint64_t replays, std::uint64_t all) { progress.show_replays(replays, all); };
  if (task) return run_task(flags, *task, *options);
  SweepOutput output(flags.output, flags.console);
  apf::SweepReport report = apf::sweep(*options, output.rows());
  end_watch();
  progress.clear();
  return finish_sweep(output, report, flags.gate, setup_of(*plan, *options));
}

}  // namespace apfctl
