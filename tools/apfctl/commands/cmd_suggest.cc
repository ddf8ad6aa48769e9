// apfctl suggest: the smallest change of a configuration that meets goals on a log.

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <apf/advise.h>
#include <apf/error.h>
#include <apf/output.h>
#include <apf/report.h>

#include "flags/damaged_logs.h"
#include "flags/expectations.h"
#include "flags/log_paths.h"
#include "flags/next_command.h"
#include "flags/replay_flags.h"
#include "flags/report_output.h"
#include "flags/stages.h"
#include "shared/commands.h"
#include "shared/completion_words.h"
#include "shared/exit_code.h"
#include "shared/flag_value.h"
#include "shared/input.h"
#include "shared/output.h"
#include "shared/sources.h"

namespace apfctl {

namespace {

constexpr apf::Nanos kMachineNoise = 100 * apf::kMillisecond;

struct SuggestFlags {
  ReplayFlags replay;
  std::vector<std::string> logs, goals, protect, isolate;  // `logs` as given
  std::string wait_bound = "100ms", budget = "1000", most_seats;
  bool allow_harm = false;
};

void declare(CommandLine& line, SuggestFlags& flags) {
  line.synopsis("suggest LOG... [--goal 'LEVEL.METRIC OP VALUE']... [-f PATH]... [FLAG]...");
  line.about(
      "What is the smallest change that meets my goals?",
      "Finds the smallest change of a configuration that meets goals for the requests of a log: shares, lending and "
      "borrowing, queues and hands, a FlowSchema and a level for one client, and the server's seats where that is "
      "allowed. Prints a patch of the files of -f with the arithmetic as comments, what it changes for whom, "
      "and what else was tried; or says that there is no such configuration, and how many seats the load needs. "
      "Changes no file.");
  line.example("keep workload-low from refusing requests",
               "apfctl suggest examples/amok-controller/short.jsonl.gz --server-concurrency 12 --goal "
               "'workload-low.rejected == 0'");
  line.example("give the client that causes the refusals a level of its own",
               "apfctl suggest examples/amok-controller/short.jsonl.gz --server-concurrency 12");
  line.example(
      "let a client be served",
      "apfctl suggest examples/amok-controller/short.jsonl.gz --server-concurrency 12 --protect sa:shop/builder");
  ReplayFlags& replay = flags.replay;
  replay.spread = "8";
  line.heading("Goals");
  line.list("--goal", flags.goals, "'LEVEL.METRIC OP VALUE'",
            "A condition to meet, written as for --expect of apfctl replay: 'workload-low.p99wait < 1s'. Repeatable.");
  line.choices("--goal", expected_figures({""}, {"rejected", "p99wait"}));
  line.list(
      "--protect", flags.protect, "CLIENT",
      "Give this client seats of its own, so that its requests are served: sa:NS/NAME, sa:NS/*, node:*, user:NAME. "
      "Repeatable.");
  line.option("--wait-bound", flags.wait_bound, "DURATION",
              "With --protect: the 99th percentile of its waits is at most this (default 100ms).");
  line.list("--isolate", flags.isolate, "auto|CLIENT",
            "Give this client a level of its own that borrows no seats; auto: the client that causes refusals of "
            "others, or else of its own; where no client is at fault, each level is to refuse nobody (default, without "
            "--goal and --protect). Repeatable.");
  line.flag("--allow-harm", flags.allow_harm,
            "Accept a change that refuses requests of the control plane, nodes or leader election which are served "
            "now. Without it, such a change is printed only if nothing else meets the goals, and the exit code is 1.");
  line.option("--may-raise-inflight", flags.most_seats, "SEATS",
              "The server's seats (the sum of its two flags) may be raised up to this.");
  line.option("--budget", flags.budget, "N|DURATION",
              "How many replays, or how much time, the search may take (default 1000). The best so far is the answer.");
  replay.config.declare(line);
  replay.declare_reading(line);
  replay.table.declare(line);
  replay.release.declare(line, apf::kOldestReplayed);
  replay.inflight.declare(line);
  replay.settings.knows_apf_off = true;  // it refuses to answer
  replay.settings.declare(line);
  replay.recorded.declare(line);
  replay.output.declare(line, {"text", "json", "yaml", "markdown", "html"});
  line.option("--spread", replay.spread, "N",
              "The goals must also be met in N more replays, with arrivals and ends shifted by up to 1 ms, and the 10 "
              "s clock in other "
              "phases (default 8).");
  line.flag(
      "--allow-empty", replay.allow_empty,
      "Accept an incomplete log. Without it, apfctl suggest exits 2 if more than 10 % of the lines are unusable, the "
      "compressed data is damaged, or the log is a selection: without ends, only refusals, only one user, only one "
      "verb, only slow requests, or without reads.");
  declare_allow_disagreement(line, replay.allow_disagreement);
  replay.memory.declare(line);
  line.option("--threads", replay.threads, "N",
              "Number of threads (default: one per processor). The result is the same.");
  replay.console.declare(line);
}

// How far the report is from the expectation, as a part of its value.
double miss_of(const apf::Expectation& e, const apf::ReplayReport& report) {
  const std::shared_ptr<const apf::Facts> facts = apf::facts_of({&report, 1});
  if (apf::check_expectations({&e, 1}, *facts, true).front().met) return 0;  // a change may empty a level
  const double size = std::max(std::abs(e.value), e.percent ? 0.01 : 1.0);
  return std::max(std::abs(apf::expected_values(e, *facts).front() - e.value) / size, 1e-9);
}

// What a change has to stay below, so that it does not just touch the goal: of bounds of waits, and of numbers of
// refusals above 0. Nothing: the goal is as it is.
std::optional<apf::Expectation> with_margin(apf::Expectation e) {
  constexpr double kMargin = 0.1;
  const bool is_wait = e.unit == apf::ExpectedUnit::duration, is_below = e.op == "<" || e.op == "<=";
  if (!is_below || e.value <= 0 || !(is_wait || e.percent)) return std::nullopt;
  e.value *= 1 - kMargin;
  return e;
}

apf::SuggestGoal goal_of(const std::string& text) {
  const apf::ReplayReport any;
  const apf::Expectation e = apf::parse_expectation(text, *apf::facts_of({&any, 1}));
  if (e.other || e.unit == apf::ExpectedUnit::part)
    throw UsageError("--goal '" + apf::printable(text) +
                     "' is not LEVEL.METRIC OP VALUE, as 'workload-low.p99wait < 1s'");
  apf::SuggestGoal out;
  out.text = e.text;
  out.subject = e.figure.subject;
  out.miss = [e](const apf::ReplayReport& report) { return miss_of(e, report); };
  if (const auto tight = with_margin(e)) {
    out.miss_with_margin = [e = *tight](const apf::ReplayReport& report) { return miss_of(e, report); };
    out.margin = e.op + " " + apf::expected_text(e, tight->value);
    if (e.unit == apf::ExpectedUnit::duration && tight->value < static_cast<double>(kMachineNoise))
      out.margin += "; a busy machine adds waits of up to " + apf::format_go_duration(kMachineNoise);
  }
  out.found_in_all = [e](const std::vector<apf::ReplayReport>& reports) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const apf::ReplayReport& report : reports) {
      for (const double value : apf::expected_values(e, *apf::facts_of({&report, 1}))) {
        low = std::min(low, value);
        high = std::max(high, value);
      }
    }
    const std::string least = apf::expected_text(e, low), most = apf::expected_text(e, high);
    return "it is " + (least == most ? least : least + " to " + most);
  };
  out.found = [in_all = out.found_in_all](const apf::ReplayReport& report) { return in_all({report}); };
  const bool at_most = e.op == "<" || e.op == "<=" || e.op == "==";
  out.all_served =
      e.figure.metric == "rejected" && at_most && !e.percent && (e.value == 0 || (e.op == "<" && e.value <= 1));
  if (e.figure.metric == "maxwait" && at_most) out.longest_wait = static_cast<apf::Nanos>(e.value);
  return out;
}

apf::SuggestOptions options_of(const SuggestFlags& flags) {
  apf::SuggestOptions out;
  for (const std::string& text : flags.goals) out.goals.push_back(goal_of(text));
  for (const std::string& client : flags.protect)
    out.protect.push_back(value_of("--protect", [&] { return apf::parse_client(client); }));
  for (const std::string& client : flags.isolate) {
    if (client == "auto") out.isolate_culprits = true;
    else out.isolate.push_back(value_of("--isolate", [&] { return apf::parse_client(client); }));
  }
  if (out.goals.empty() && out.protect.empty() && out.isolate.empty()) out.isolate_culprits = true;
  for (const std::string& user : out.protect)
    if (std::find(out.isolate.begin(), out.isolate.end(), user) != out.isolate.end())
      throw UsageError("--protect and --isolate: " + apf::printable(user) + " can have one level of its own only");
  out.wait_bound = parse_duration("--wait-bound", flags.wait_bound);
  if (!flags.most_seats.empty())
    out.most_seats = static_cast<int>(parse_int("--may-raise-inflight", flags.most_seats, 1, 1'000'000));
  out.allow_harm = flags.allow_harm;
  out.replay = flags.replay.options();
  return out;
}

// A number of replays, or until when.
void set_budget(const std::string& text, apf::SuggestOptions& options) {
  if (text.find_first_not_of("0123456789") == std::string::npos) {
    options.budget = static_cast<std::uint64_t>(parse_int("--budget", text, 1, 1'000'000'000));
    return;
  }
  const apf::Nanos budget = parse_duration("--budget", text);
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(budget);
  options.budget = UINT64_MAX / 2;
  options.stop = [end] { return std::chrono::steady_clock::now() >= end; };
}

const char* flag_of(const SuggestFlags& flags) {
  return !flags.goals.empty() ? "--goal" : !flags.protect.empty() ? "--protect" : "--isolate";
}

bool writes_only_yaml(const OutputFlags& output) {
  return std::all_of(output.targets.begin(), output.targets.end(),
                     [](const OutputFlags::Target& target) { return target.format == "yaml"; });
}

// Who is better and who is worse off with what is suggested: beside the only file that is given, or the built-in
// objects.
apf::Passage next_of(const CommandLine& line, const SuggestFlags& flags, const apf::SuggestReport& report) {
  if (std::any_of(report.log.warnings.begin(), report.log.warnings.end(), apf::is_contradiction))
    return next_passage(with_evidence(line));
  const ConfigFlags& config = flags.replay.config;
  const std::string again = filled_in(line, "suggest");
  if (again.empty() || !report.met || report.objects.empty()) return next_passage({});
  const auto compare = [&](const std::string& before, const std::string& after) {
    std::string logs;
    for (const std::string& log : flags.logs) logs += " --log " + path_word(log);
    return filled_in(line, "compare", before + " " + after + logs);
  };
  if (config.filenames.empty() && !config.cluster.wanted)
    return next_passage({again + " -o yaml=suggested.yaml", compare("builtins", "suggested.yaml")});
  if (config.filenames.size() > 1 || config.cluster.wanted) return next_passage({again + " -o yaml=suggested.yaml"});
  const std::string file = path_word(config.filenames.front());
  return next_passage(
      {fmt::format("(cat {}; echo ---; {} -o yaml) >suggested.yaml", file, again), compare(file, "suggested.yaml")});
}

// What a replay meets that the log contradicts, nobody knows to be met.
apf::SuggestReport undecided(apf::SuggestReport report) {
  report.met = report.met_before = false;
  return report;
}

}  // namespace

int cmd_suggest(CommandLine& line) {
  SuggestFlags flags;
  declare(line, flags);
  if (!line.parse()) return 0;
  apf::LogOptions log;
  std::vector<std::string>& logs = log.logs = line.arguments(1, CommandLine::kAnyNumber, "LOG");
  flags.logs = logs;
  const Console& console = flags.replay.console;
  if (!flags.replay.check()) return kUsageOrInput;
  find_logs_in(logs, log.texts, console);
  for (const std::string& path : logs) claim_input(path);
  log.log_format = flags.replay.log.format;
  take_server_flags(flags.replay, flags.replay.settings.known_server(), log);
  apf::SuggestOptions options = options_of(flags);
  options.replay.logs = logs;
  options.replay.texts = log.texts;
  watch_interrupts();
  options.replay.interrupted = &g_interrupted;
  if (!flags.replay.load_configs(options.replay, &options.texts)) return kUsageOrInput;
  refuse_kep(options.replay.config);
  for (const apf::ConfigText& text : options.texts)
    if (text.name == kStdinName || flags.replay.config.cluster.wanted) options.no_files.insert(text.name);
  set_budget(flags.budget, options);
  const apf::ReplayReport names = names_of(options.replay);
  const std::shared_ptr<const apf::Facts> known = apf::facts_of({&names, 1});
  Expectations(flags.goals, *known).check_names(*known);
  apf::LogQuestion question = flags.replay.question();
  question.take_widths(flags.replay.settings.known_server(), options.replay);

  ProgressLine progress(!console.quiet);
  options.replay.progress = [&](const apf::LogProgress& p) { progress.show(p); };
  options.progress = [&](std::uint64_t replays, const std::vector<apf::SuggestChange>* best) {
    progress.show_replays(replays, options.stop ? 0 : options.budget,
                          {best ? "best so far " + plural(best->size(), "change", "changes") : std::string()});
  };
  apf::SuggestReport report = apf::suggest(options);
  end_watch();
  progress.clear();
  question.complete(report.log);
  if (report.log.requests == 0 && !report.interrupted) throw apf::Error(apf::no_requests(report.log.warnings));
  if (!report.interrupted) {
    apf::ReplayReport usable = report.log;
    usable.unusable.clear();  // the gate looks at them
    const auto facts = apf::facts_of({&usable, 1});
    refuse_open("--goal", Expectations(flags.goals, *facts).results(*facts, flags.replay.allow_empty));
  }
  flags.replay.output.whole_when_interrupted = report.met;
  const bool is_open = !question.why_undecided(report.log).empty();
  std::vector<apf::ConfigText> patched = options.texts;
  std::erase_if(patched, [&](const apf::ConfigText& text) { return options.no_files.contains(text.name); });
  write_report(
      flags.replay.output, console,
      [&](const apf::View& view) {
        return told(apf::document_of(report, patched, view), view, apf::assumed_seats(report.log),
                    next_of(line, flags, report));
      },
      [&] { return apf::render_json(is_open ? undecided(report) : report); },
      {{"yaml", [&] { return apf::render_yaml(report); }}},
      {{"Log", join(logs)},
       {"Configuration", flags.replay.config.origin(options.replay.config, flags.replay.release)},
       {"Server", flags.replay.release.words() + ", " +
                      stages_origin(flags.replay.table, flags.replay.inflight, report.log.seats_by_log)}});
  if (report.met && report.objects.empty() && writes_only_yaml(flags.replay.output))
    console.note(report.met_before ? "this configuration meets the goals, so there are no objects to change"
                                   : "no object changes, only the server's flags; -o text says how");
  if (report.met && !report.objects.empty() && report.seats_after != report.seats_before &&
      writes_only_yaml(flags.replay.output))
    console.note(
        fmt::format("the server also needs {} seats instead of {}: the sum of --max-requests-inflight and "
                    "--max-mutating-requests-inflight",
                    report.seats_after, report.seats_before));
  if (!report.met && report.objects.empty() && writes_only_yaml(flags.replay.output))
    console.note("no configuration was found that meets the goals, so there are no objects; -o text says why");
  refuse_undecided(flag_of(flags), question, report.log);
  return report.met && !report.harms ? 0 : kNotOk;
}

}  // namespace apfctl
