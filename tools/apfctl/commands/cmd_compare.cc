// apfctl compare: what changes for whom, on the traffic of a log.

#include <fmt/core.h>

#include <algorithm>

#include <apf/advise.h>
#include <apf/error.h>
#include <apf/flag_values.h>
#include <apf/output.h>
#include <apf/report.h>

#include "commands/compare_logs.h"
#include "commands/side_outputs.h"
#include "commands/side_pages.h"
#include "flags/damaged_logs.h"
#include "flags/expectations.h"
#include "flags/log_paths.h"
#include "flags/next_command.h"
#include "flags/options.h"
#include "flags/replay_flags.h"
#include "flags/report_output.h"
#include "flags/side_flags.h"
#include "flags/stages.h"
#include "shared/commands.h"
#include "shared/completion_words.h"
#include "shared/exit_code.h"
#include "shared/flag_value.h"
#include "shared/interrupts.h"
#include "shared/output.h"
#include "shared/terminal.h"
#include "shared/words.h"

namespace apfctl {

namespace {

struct CompareFlags {
  Console console;
  SideFlags sides;
  ReplayFlags replay;  // those about the log, its clients, the stages and the outputs
  std::vector<std::string> logs, expect;
  std::string spread = "3", tolerance;
};

void declare(CommandLine& line, CompareFlags& flags) {
  line.synopsis(
      "compare OLD NEW... --log LOG... [FLAG]...\n       apfctl compare --from-cluster NEW... --log LOG... [FLAG]...");
  line.about(
      "Who is better off under a new configuration, and who is worse off?",
      "Replays a log under OLD and under each NEW, and shows for whom something changes: requests that get another "
      "FlowSchema or level, and levels, FlowSchemas, flows and user agents whose requests are refused or wait more, or "
      "less. The log is taken as recorded under OLD. OLD and NEW: a file, a directory, a glob, git:REV[:PATH], or "
      "builtins@VERSION.");
  line.example("on the traffic of a log",
               "apfctl compare builtins@1.37 examples/fleet/wanted.yaml --log examples/amok-controller/short.jsonl.gz "
               "--server-concurrency 12");
  line.example("the same configuration on a larger server",
               "apfctl compare builtins@1.37 builtins@1.37 --old server-concurrency=12 --new server-concurrency=24 "
               "--log examples/amok-controller/short.jsonl.gz");
  line.example("fail a pipeline if a level gets worse by more than 5 %",
               "apfctl compare builtins@1.37 examples/fleet/wanted.yaml --expect 'worsening <= 5%' --log "
               "examples/amok-controller/short.jsonl.gz --server-concurrency 12");
  flags.replay.log.by_argument = false;
  line.heading("Comparison");
  line.list(
      "--log", flags.logs, "LOG",
      "A log in any format of apfctl-logs(5), plain or compressed. May be followed by more log files. Logs of one "
      "server are joined. Repeatable.");
  line.option("--spread", flags.spread, "N",
              "Replay each side N more times with jitter; only differences beyond theirs count (default 3).");
  line.option("--tolerance", flags.tolerance, "PERCENT", "In short for --expect 'worsening <= PERCENT%'.");
  line.list("--expect", flags.expect, "'SIDE.LEVEL.METRIC OP VALUE'",
            "Exit 1 unless this holds, such as 'new.total.rejected <= old.total.rejected'. SIDE: old or new (with "
            "several, all of them). VALUE: a number, a duration, or SIDE.LEVEL.METRIC. 'worsening <= 5%': no level or "
            "FlowSchema gets worse by more, beyond chance: refusals in percentage points, waits in percent. "
            "'newRefusals == 0': no flow is refused more often, beyond chance. 'agreement "
            ">= 99%': that share of requests gets the same level and the same outcome under OLD (or --recorded config) "
            "as in the log. Repeatable.");
  line.choices("--expect", expected_figures({"old.", "new."}, {"rejected", "p99wait", "queued", "executed"},
                                            {"worsening", "newRefusals", "agreement", "coverage"}));
  line.flag(
      "--allow-empty", flags.replay.allow_empty,
      "Accept an empty or incomplete log. Without it, --expect exits 2 if the report has no requests, "
      "more than 10 % of the lines are unusable, the compressed data is damaged, or the log is a selection: without "
      "ends, only refusals, only one user, only one verb, only slow requests, or without reads.");
  declare_allow_disagreement(line, flags.replay.allow_disagreement);
  flags.replay.declare_traffic(line);
  flags.sides.declare(line, apf::kOldestReplayed, true);
  flags.replay.output.declare(line, {"text", "json", "csv", "markdown", "html", "svg", "github", "wide"});
  flags.replay.declare_lists(line);
  SideOutputs::declare(line, flags.replay);
  line.refuse("--systems",
              "compares the systems of one server: use it with apfctl replay, once for OLD and once for NEW");
  line.refuse(
      "--memory",
      "is for requests that are replayed from memory: a comparison keeps them in a temporary file, and takes no "
      "more memory for a longer log");
  flags.console.declare(line);
}

// Of the flags for both sides and of those for this one. False: a configuration has errors, which were printed.
bool load_changes(const CompareFlags& flags, int side, apf::ReplayOptions& out) {
  const SideValues& own = flags.sides.own(side);
  const std::pair<std::string, std::vector<std::string>> given[] = {{"--config-at", flags.replay.config_at},
                                                                    {own.name("config-at"), own.all("config-at")}};
  for (const auto& [flag, texts] : given) {
    for (const std::string& text : texts) {
      const auto [time, path] = parse_change(flag.c_str(), text);
      std::optional<SideFlags::Side> changed = flags.sides.load(side, path, flags.console);
      if (!changed) return false;
      out.config_changes.emplace_back(time, std::move(changed->config));
    }
  }
  return true;
}

// False: something has errors, which were printed.
bool load_shared(const CompareFlags& flags, apf::ReplayOptions& out) {
  out = flags.replay.options();
  out.spread = 0;
  const apf::KnownServer& known = flags.sides.known_server();
  if (flags.replay.objects.empty() && known.objects) out.objects = apf::ObjectCounts(*known.objects);
  return load_stages(flags.replay.table, out, flags.console, flags.sides.no_validate());
}

apf::ReplayOptions options_for(const apf::ReplayOptions& shared, const SideFlags::Side& side, const SideValues& own) {
  apf::ReplayOptions out = shared;
  for (const apf::ReplaySetting& setting : apf::replay_settings())
    if (const std::optional<std::string> value = own.find(std::string(setting.name)))
      value_of(own.name(std::string(setting.name)), [&] { setting.set(out, *value); });
  refuse_widths_without_seats(out);
  out.config = side.config;
  out.version = side.version;
  out.server_concurrency_limit = side.server_concurrency_limit;
  out.seats_by_log = !side.inflight.given();
  if (!out.in_flight) return out;
  if (side.inflight.sum_given())
    throw UsageError(
        "the sum of reads and writes cannot be used with --apf=off, which limits them separately: use "
        "--max-requests-inflight and --max-mutating-requests-inflight");
  out.in_flight = apf::InFlightLimits{side.inflight.read_only(), side.inflight.mutating()};
  return out;
}

bool load_sides(const CompareFlags& flags, const std::vector<std::string>& paths, const SideOutputs& outputs,
                const apf::ReplayOptions& shared, apf::CompareOptions& out, std::vector<InflightFlags>& inflight) {
  bool loaded = true;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const int which = i == 0 ? 0 : 1;
    const std::optional<SideFlags::Side> side = flags.sides.load(which, paths[i], flags.console);
    loaded = loaded && side;
    if (!side) continue;
    inflight.push_back(side->inflight);
    apf::ReplayOptions options = options_for(shared, *side, flags.sides.own(which));
    loaded = load_changes(flags, which, options) && loaded;
    outputs.set_paths(options, i);
    if (i == 0) out.old_side = std::move(options);
    else out.new_sides.push_back(std::move(options));
  }
  return loaded;
}

// What the server ran when the log was written, where it was not OLD.
bool load_recorded(const CompareFlags& flags, apf::CompareOptions& options) {
  const RecordedFlags& given = flags.replay.recorded;
  if (!given.given() || (given.same() && given.values.all("config").size() == given.values.size())) return true;
  apf::RecordedConfig recorded;
  recorded.config = options.old_side.config;
  recorded.version = options.old_side.version;
  recorded.config_changes = options.old_side.config_changes;
  if (!given.same()) {
    const auto side = flags.sides.load(0, *given.config(), flags.console, &given.values);
    if (!side) return false;
    recorded.config = side->config;
    recorded.version = side->version;
    recorded.config_changes.clear();
  } else {
    ReleaseFlags release;
    release.version = recorded.version;
    given.values.replace(release);
    recorded.version = release.version;
  }
  recorded.server_concurrency_limit = given.seats();
  options.old_side.recorded = std::move(recorded);
  return true;
}

// The recorded server's seats, by its metrics, where nothing else says them.
void take_seats(const apf::ScrapedSeats& seats, apf::LogQuestion& question, apf::CompareOptions& options) {
  question.evidence.replayed_seats = true;
  if (options.old_side.seats_by_log) options.old_side.server_concurrency_limit = seats.number;
  for (apf::ReplayOptions& side : options.new_sides)
    if (side.seats_by_log) side.server_concurrency_limit = seats.number;
}

apf::CompareReport run(const apf::CompareOptions& options, const std::vector<ServerLogs>& servers) {
  const auto of_server = [&](const ServerLogs& server) {
    apf::CompareOptions out = options;
    out.old_side.logs = server.logs;
    out.old_side.server = server.name;
    return out;
  };
  if (servers.front().name.empty()) return apf::compare(of_server(servers.front()));
  std::vector<apf::CompareOptions> each;
  for (const ServerLogs& server : servers) each.push_back(of_server(server));
  return apf::compare_servers(each, options.old_side.threads);
}

// Where each side's seats are from; the document says the rest.
Setup setup_of(const CompareFlags& flags, const std::vector<InflightFlags>& inflight, const CoverageFlags::Found* found,
               const apf::CompareReport& comparison) {
  Setup out;
  for (std::size_t i = 0; i < inflight.size(); ++i) {
    const apf::ReplayReport& report = i == 0 ? comparison.old_report : comparison.new_reports[i - 1];
    const std::string name = i == 0                 ? "Seats of OLD"
                             : inflight.size() == 2 ? "Seats of NEW"
                                                    : fmt::format("Seats of NEW {}", i);
    out.emplace_back(name, found && found->seats && !inflight[i].given() && !report.seats_by_log
                               ? found->seats_words()
                               : stages_origin(flags.replay.table, inflight[i], report.seats_by_log));
  }
  return out;
}

void write(const CompareFlags& flags, const CommandLine& line, const apf::CompareReport& comparison,
           const apf::CompareFrame& frame, const Setup& setup, const std::string& assumed) {
  write_report(
      flags.replay.output, flags.console,
      [&](const apf::View& view) {
        const std::string next =
            frame.new_names.size() == 1
                ? filled_in(line, "diff", path_word(frame.old_name) + " " + path_word(frame.new_names.front()))
                : std::string();
        return told(apf::document_of(comparison, frame, view), view, assumed, next_passage({next}));
      },
      [&] { return apf::render_json(comparison, frame); },
      {{"csv", [&] { return apf::render_csv(comparison, frame); }},
       {"github", [&] { return apf::render_github(comparison, frame) + github_notice("compare", assumed); }}},
      setup);
}

// Before the log is replayed: names that are in no configuration of their side, and coverage that is not known.
void check_names(const Expectations& expectations, const apf::CompareOptions& options, const CoverageFlags& coverage,
                 const std::vector<std::string>& new_names) {
  apf::CompareReport known;
  known.old_report = names_of(options.old_side);
  if (!coverage.metrics.empty()) known.old_report.coverage.metrics.emplace();
  for (const apf::ReplayOptions& side : options.new_sides) known.new_reports.push_back(names_of(side));
  expectations.check_names(*apf::facts_of(known, new_names));
}

// OLD is what the server ran, unless it is said otherwise.
apf::LogQuestion question_of(const CompareFlags& flags, const apf::CompareOptions& options, bool seats_given) {
  apf::LogQuestion out = flags.replay.question();
  out.evidence.replayed_seats = seats_given;
  out.evidence.seats = out.evidence.seats || !options.old_side.seats_by_log;
  out.evidence.config = !out.evidence.same;
  out.config_flag = "--recorded config";
  return out;
}

}  // namespace

int cmd_compare(CommandLine& line) {
  CompareFlags flags;
  declare(line, flags);
  if (!line.parse()) return 0;
  flags.console.check();
  flags.replay.output.check();
  const bool from_cluster = !flags.sides.sides({}).empty();
  ComparedWords words = compared_words(line, !from_cluster);
  words.paths = flags.sides.sides(words.paths);
  const SideOutputs outputs(flags.replay, words.paths.size());
  flags.replay.log.check();
  flags.replay.recorded.check();
  apf::LogOptions log;
  for (ServerLogs& server : words.servers) find_logs_in(server.logs, log.texts, flags.console);
  log.logs = words.servers.front().logs;
  log.log_format = flags.replay.log.format;
  flags.replay.coverage.check(words.servers.front().logs);
  if (!flags.replay.coverage.metrics.empty() && !words.servers.front().name.empty())
    throw UsageError("--server-metrics is of one server: it cannot be combined with --server");
  if (!flags.sides.check(flags.console)) return kUsageOrInput;
  take_server_flags(flags.replay, flags.sides.known_server(), log);
  flags.sides.add_gates(flags.replay.release.version);
  flags.sides.warns_of_release = !has_remarks(flags.replay.output);
  flags.sides.fill_objects(flags.replay.objects);
  if (!flags.tolerance.empty())
    flags.expect.push_back(fmt::format("worsening <= {}%", parse_percent("--tolerance", flags.tolerance, 1e6)));
  const std::vector<std::string> new_names(words.paths.begin() + 1, words.paths.end());
  const Expectations expectations(flags.expect, *apf::facts_of(apf::CompareReport(), new_names));

  apf::ReplayOptions shared;
  apf::CompareOptions options;
  options.spread = static_cast<int>(parse_int("--spread", flags.spread, 0, 1000));
  if (!load_shared(flags, shared)) return kUsageOrInput;
  watch_interrupts();
  shared.interrupted = &g_interrupted;
  shared.texts = log.texts;
  ProgressLine progress(!flags.console.quiet);
  shared.progress = [&](const apf::LogProgress& p) { progress.show(p); };
  std::vector<InflightFlags> inflight;
  if (!load_sides(flags, words.paths, outputs, shared, options, inflight) || !load_recorded(flags, options))
    return kUsageOrInput;
  check_names(expectations, options, flags.replay.coverage, new_names);
  apf::LogQuestion question = question_of(flags, options, inflight.front().given());
  std::optional<CoverageFlags::Found> found;
  if (flags.replay.coverage.any()) {
    found = flags.replay.coverage.find(words.servers.front().logs, question, options.old_side, flags.console);
    if (!found) return kUsageOrInput;
    if (found->seats) take_seats(*found->seats, question, options);
  }
  for (const ServerLogs& server : words.servers)
    for (const std::string& path : server.logs) claim_input(path);
  if (words.servers.size() == 1) {
    options.old_side.logs = words.servers.front().logs;
    question.take_widths(flags.sides.known_server(), options.old_side);
  }
  if (question.has_measured_widths())
    for (apf::ReplayOptions& side : options.new_sides) side.objects = apf::ObjectCounts(options.old_side.objects);

  apf::CompareReport comparison = run(options, words.servers);
  end_watch();
  progress.clear();
  question.complete(comparison.old_report);
  for (apf::ReplayReport& report : comparison.new_reports) add_hints(report);
  apf::CompareFrame frame;
  frame.old_name = words.paths.front();
  frame.new_names = new_names;
  frame.expectations = expectations.results(*apf::facts_of(comparison, new_names), flags.replay.allow_empty);
  question.mark_undecided(comparison.old_report, frame.expectations);
  if (comparison.old_report.requests == 0 && !comparison.old_report.interrupted)
    throw apf::Error(apf::no_requests(comparison.old_report.warnings));
  outputs.write(comparison);
  const Setup setup = setup_of(flags, inflight, found ? &*found : nullptr, comparison);
  write_pages(outputs, comparison, frame, setup, flags.replay.output);
  write(flags, line, comparison, frame, setup, apf::assumed_seats(comparison.old_report));
  refuse_open("--expect", frame.expectations);
  const int code = print_unmet("compare", frame.expectations, flags.console);
  expectations.refuse_undecided(question, {&comparison.old_report, 1});
  return code;
}

}  // namespace apfctl
