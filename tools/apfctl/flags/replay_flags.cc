#include "flags/replay_flags.h"
#include "shared/completion_words.h"

#include <fmt/core.h>

#include <algorithm>

#include <apf/report.h>

#include "flags/object_counts.h"
#include "flags/replay_output.h"
#include "flags/stages.h"
#include "flags/systems.h"
#include "shared/flag_value.h"
#include "shared/input.h"
#include "shared/output.h"

namespace apfctl {

namespace {

constexpr int kMostListed = 100'000;

void declare_outputs(CommandLine& line, ReplayFlags& flags) {
  flags.output.declare(line, kReplayFormats);
  line.option("--decisions", flags.decisions, "FILE", "Write one JSON line for each request, in order of arrival.");
  line.option("--decisions-fields", flags.decisions_fields, "FIELD,...",
              "With --decisions: fields of the log to add to each line: user, verb, uri, agent (the user agent).");
  line.option("--timeline", flags.timeline, "FILE", "Write one JSON line for each level and adjustment of its limit.");
  flags.dumps.declare(line);
  line.option("--metrics", flags.metrics, "FILE",
              "Write the metrics of the replay as Prometheus text, with kube-apiserver's metric names.");
  line.list(
      "--expect", flags.expect, "'LEVEL.METRIC OP VALUE'",
      "Exit 1 unless this holds, such as 'workload-low.p99wait < 1s'. LEVEL may also be total or "
      "FlowSchema/NAME. 'agreement >= 99%': that share of requests gets the same level and the same outcome as in "
      "the log. With --server, a prefix NAME: selects one server. Repeatable.");
  line.choices("--expect",
               expected_figures({""}, {"rejected", "p99wait", "queued", "executed"}, {"agreement", "coverage"}));
  line.flag(
      "--allow-empty", flags.allow_empty,
      "Accept an empty or incomplete log. Without it, --expect exits 2 if the report has no requests, more than 10 % "
      "of the lines are unusable, or so many that they could change the answer, the compressed data is damaged, or the "
      "log is a "
      "selection: without ends, only refusals, only one user, only one verb, only slow requests, or without reads.");
  declare_allow_disagreement(line, flags.allow_disagreement);
  line.flag("--no-experiments", flags.no_experiments,
            "Do not look for the cause of refusals and waits, which replays the log some dozens of times more.");
  line.option("--spread", flags.spread, "N",
              "Replay N more times with arrivals and ends shifted by up to 1 ms, and report the ranges (default 0). "
              "With --recorded config, at least N more times, and N times with the clock in other phases.");
  flags.declare_lists(line);
  flags.memory.declare(line);
  line.option("--threads", flags.threads, "N",
              "Number of threads that read the log (default: one per processor). The result is the same.");
}

// FILE, or TIME=FILE. If the text before '=' is not a time, it belongs to the file name.
void load_objects(const std::vector<std::string>& texts, apf::ReplayOptions& options) {
  bool has_first = false;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const auto time = equals == std::string::npos ? std::nullopt : apf::ReplayTime::parse(text.substr(0, equals));
    const std::string path = time ? text.substr(equals + 1) : text;
    if (path.empty()) throw UsageError("--objects: the file is missing in '" + apf::printable(text) + "'");
    apf::ObjectCounts objects = read_object_counts(path);
    if (time) {
      options.objects_at.emplace_back(*time, std::move(objects));
    } else {
      if (has_first) throw UsageError("--objects: two files have no TIME; use TIME=FILE for one of them");
      has_first = true;
      options.objects = std::move(objects);
    }
  }
}

bool without_apf(const std::string& systems) {
  const std::vector<std::string> names = parse_systems(systems, true);
  return std::find(names.begin(), names.end(), "apf") == names.end();
}

std::vector<apf::DecisionField> parse_fields(const std::string& text) {
  std::vector<apf::DecisionField> fields;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const auto field = static_cast<apf::DecisionField>(
        find_choice("--decisions-fields", text.substr(at, end - at), apf::decision_field_names()));
    if (std::find(fields.begin(), fields.end(), field) == fields.end()) fields.push_back(field);
    at = end + 1;
  }
  return fields;
}

}  // namespace

void ReplayFlags::declare_reading(CommandLine& line) {
  log.declare(line);
  line.list("--objects", objects, "[TIME=]FILE",
            "Object counts, which determine the seats of list requests: lines such as pods=1234[,bytes], or a scrape "
            "of the server's /metrics. With TIME, they apply from then on. Repeatable.");
}

void ReplayFlags::declare_lists(CommandLine& line) {
  line.refuse("--full", "is -o wide now");
  line.option(
      "--top", top, "N|all",
      "Number of flows in lists of flows (default 10). all: every flow, in -o json not only those that waited or "
      "were refused most.");
}

void ReplayFlags::declare_changes(CommandLine& line) {
  line.heading("Server");
  line.list("--config-at", config_at, "TIME=PATH", "Switch to another configuration at this time. Repeatable.");
}

void declare_allow_disagreement(CommandLine& line, bool& allowed) {
  line.flag("--allow-disagreement", allowed,
            "Decide by the replay although the log contradicts it. Without it, apfctl exits 2 if the refusals or waits "
            "in the log are far from those of a replay of the server that is assumed to have written it.");
}

apf::LogQuestion ReplayFlags::question() const {
  apf::LogQuestion out;
  out.allow_empty = allow_empty;
  out.allow_disagreement = allow_disagreement;
  out.evidence = recorded.evidence(inflight.given(), !objects.empty() || settings.known_server().objects);
  out.evidence.execution = table.given("refused-execution");
  return out;
}

void ReplayFlags::declare(CommandLine& line) {
  line.synopsis("replay LOG... [-f PATH]... [FLAG]...");
  line.about(
      "Whose requests would wait or be refused?",
      "Replays the requests in a kube-apiserver log through API Priority and Fairness and reports, for each priority "
      "level, FlowSchema and flow, which requests were served, waited or were refused. LOG: a log in any format of "
      "apfctl-logs(5), plain or compressed, or - for standard input. An audit log and the same server's own log are "
      "joined.");
  line.example(
      "the traffic of a log under my configuration",
      "apfctl replay examples/amok-controller/short.jsonl.gz -f examples/fleet/wanted.yaml --server-concurrency 12");
  line.example("on a larger server than the one that wrote the log",
               "apfctl replay examples/amok-controller/short.jsonl.gz --server-concurrency 24 --recorded "
               "config=same,server-concurrency=12");
  line.example("fail a pipeline if requests of nodes would wait",
               "apfctl replay examples/amok-controller/short.jsonl.gz --expect 'node-high.p99wait < 1s'");
  config.declare(line);
  declare_reading(line);
  release.declare(line, apf::kOldestReplayed);
  inflight.declare(line);
  settings.takes_logs = settings.knows_apf_off = true;
  settings.declare(line);
  declare_changes(line);
  recorded.declare(line);
  coverage.declare(line, true);
  table.declare(line);
  line.option("--systems", systems, "NAME,...",
              "Replay once for each system that limits requests, with only that system on, and compare the results: "
              "max-in-flight, client-limit, event-rate-limit, resource-quota, apf; or all. Supports -o text, json and "
              "markdown.");
  declare_outputs(line, *this);
  console.declare(line);
}

void ReplayFlags::declare_traffic(CommandLine& line) {
  declare_reading(line);
  declare_changes(line);
  recorded.declare(line);
  coverage.declare(line, true);
  table.declare(line);
  line.option("--threads", threads, "N",
              "Number of threads that read the log (default: one per processor). The result is the same.");
}

bool ReplayFlags::check() {
  console.check();
  output.check();
  const std::pair<const char*, const std::string&> files[] = {
      {"--decisions", decisions}, {"--timeline", timeline}, {"--metrics", metrics}};
  for (const auto& [flag, path] : files)
    if (!path.empty()) claim_output(flag, path);
  release.check();
  inflight.check();
  log.check();
  recorded.check(config.filenames);
  if (!settings.read(console, &config.cluster)) return false;
  settings.fill(release);
  settings.fill(inflight);
  settings.fill(config);
  settings.fill_objects(objects);
  if (systems) check_systems();
  return true;
}

// A comparison has no decisions, timeline or metrics of its own.
void ReplayFlags::check_systems() const {
  const std::vector<std::string> names = parse_systems(*systems, table.given("quota"));
  const std::pair<bool, const char*> others[] = {{!settings.servers().empty(), "--server NAME=LOG"},
                                                 {!decisions.empty(), "--decisions"},
                                                 {!timeline.empty(), "--timeline"},
                                                 {!metrics.empty(), "--metrics"},
                                                 {spread != "0", "--spread"},
                                                 {!dumps.given.empty(), "--dump-at"},
                                                 {!coverage.metrics.empty(), "--server-metrics"},
                                                 {coverage.policy.given(), "--audit-policy"},
                                                 {has_apf_off(table), "--apf"}};
  for (const auto& [given, flag] : others)
    if (given) throw UsageError(fmt::format("--systems cannot be combined with {}", flag));
  for (const OutputFlags::Target& target : output.targets)
    if (target.format != "text" && target.format != "json" && target.format != "markdown")
      throw UsageError(fmt::format("-o {}: --systems supports only text, json and markdown", target.format));
  const auto among = [&](const char* name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  if (among("event-rate-limit") && !table.given("event-rate-limit"))
    throw UsageError("--systems: event-rate-limit needs --event-rate-limit FILE");
  if (!among("event-rate-limit") && table.given("event-rate-limit"))
    throw UsageError("--event-rate-limit needs event-rate-limit in --systems");
  if (among("resource-quota") && !table.given("quota"))
    throw UsageError("--systems: resource-quota needs --quota FILE");
  if (!among("resource-quota") && table.given("quota")) throw UsageError("--quota needs resource-quota in --systems");
  for (const char* name : {"client-qps", "client-burst"})
    if (table.given(name) && !among("client-limit"))
      throw UsageError(fmt::format("--{} needs client-limit in --systems", name));
  if (among("max-in-flight") && inflight.sum_given())
    throw UsageError(
        "--server-concurrency cannot be used for max-in-flight, which limits reads and writes separately: use "
        "--max-requests-inflight and --max-mutating-requests-inflight");
}

void refuse_widths_without_seats(const apf::ReplayOptions& options) {
  if (options.in_flight && options.list_widths.any())
    throw UsageError("--width-cap and --width-bytes cannot be combined with --apf=off: requests have no seats then");
}

void ReplayFlags::set_table(apf::ReplayOptions& options) const {
  table.set(options);
  if (!options.in_flight) return;
  if (inflight.sum_given())
    throw UsageError(
        "--server-concurrency cannot be used with --apf=off, which limits reads and writes separately: use "
        "--max-requests-inflight and --max-mutating-requests-inflight");
  refuse_widths_without_seats(options);
  options.in_flight = apf::InFlightLimits{inflight.read_only(), inflight.mutating()};
  options.in_flight_recorded = apf_was_off;
}

apf::ReplayOptions ReplayFlags::options() const {
  apf::ReplayOptions options;
  options.log_format = log.format;
  options.log_year = log.year;
  options.needs_events = !allow_empty;
  options.server_concurrency_limit = inflight.server_concurrency_limit;
  options.seats_by_log = !inflight.given();
  options.version = release.version;
  set_table(options);
  if (!options.in_flight && !(systems && without_apf(*systems))) inflight.need_seats();
  options.threads = static_cast<int>(parse_int("--threads", threads, 0, 1024));
  options.memory = memory.bytes();
  dumps.set(options);
  options.spread = static_cast<int>(parse_int("--spread", spread, 0, 1000));
  const bool all_flows = top == "all";
  options.top = all_flows ? kMostListed : static_cast<int>(parse_int("--top", top, 0, kMostListed));
  options.decisions_path = decisions;
  options.timeline_path = timeline;
  options.metrics = !metrics.empty();
  want_for_formats(output, options);
  options.all_flows = options.all_flows || all_flows;
  options.decision_fields = parse_fields(decisions_fields);
  if (!options.decision_fields.empty() && decisions.empty()) throw UsageError("--decisions-fields needs --decisions");
  load_objects(objects, options);
  if (objects.empty() && settings.known_server().objects)
    options.objects = apf::ObjectCounts(*settings.known_server().objects);
  return options;
}

bool has_remarks(const OutputFlags& output) {
  return std::any_of(output.targets.begin(), output.targets.end(), [](const OutputFlags::Target& target) {
    return target.format == "text" || target.format == "json" || target.format == "markdown" ||
           target.format == "html" || target.format == "svg";
  });
}

bool ReplayFlags::load_configs(apf::ReplayOptions& options, std::vector<apf::ConfigText>* read) {
  config.warns_of_release = !has_remarks(output);
  if (!load_stages(table, options, console, config.no_validate)) return false;
  if (recorded.given() && !recorded.same()) config.known = nullptr;
  std::optional<apf::Config> loaded = config.load(console, release, read);
  if (!loaded) return false;
  options.config = std::move(*loaded);
  const apf::KnownServer* const of_config = std::exchange(config.known, nullptr);  // it need not run what follows
  const apf::KnownServer& known = settings.known_server();
  // Without API Priority and Fairness, the log is of no configuration.
  recorded.known = !has_apf_off(table) && ((!known.empty() && config.filenames == known.configurations &&
                                            known.level_differences(options.config).empty()) ||
                                           known.runs(options.config, inflight.server_concurrency_limit));
  if (!recorded.set(options, config, release, console)) return false;
  if (options.clients_need_first_replay() && !options.recorded)
    throw UsageError(
        "--client-model: to find how clients wait for answers, the log is replayed under the configuration that the "
        "server ran: give --recorded config=PATH, or --recorded config=same if it is the replayed one");
  for (const std::string& text : config_at) {
    const auto [time, path] = parse_change("--config-at", text);
    loaded = config.load({path}, console, release);
    if (!loaded) return false;
    options.config_changes.emplace_back(time, std::move(*loaded));
  }
  config.known = of_config;
  if (recorded.same()) options.recorded->config_changes = options.config_changes;
  return true;
}

std::pair<apf::ReplayTime, std::string> parse_change(const char* flag, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size())
    throw UsageError(fmt::format("{}: '{}' is not TIME=PATH", flag, apf::printable(text)));
  if (equals == 0) throw UsageError(fmt::format("{}: the time is missing in '{}'", flag, apf::printable(text)));
  return {value_of(flag, [&] { return apf::parse_replay_time(text.substr(0, equals)); }), text.substr(equals + 1)};
}

}  // namespace apfctl
