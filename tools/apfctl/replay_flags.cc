#include "replay_flags.h"

#include <fmt/format.h>

#include <algorithm>

#include <apf/report.h>

#include "input.h"
#include "replay_output.h"
#include "systems.h"

namespace apfctl {

namespace {

const Choices<apf::Borrowing> kBorrowing = {
    {"server", apf::Borrowing::server}, {"kep", apf::Borrowing::kep}, {"off", apf::Borrowing::off}};
const Choices<std::optional<bool>> kAutoOnOff = {{"auto", std::nullopt}, {"on", true}, {"off", false}};

void declare_log_flags(CommandLine& line, ReplayFlags& flags) {
  flags.log.declare(line);
  line.list(
      "--server", flags.servers, "NAME=LOG",
      "A server and its log; LOGs that follow are of the same server. Each server is replayed by itself. Repeatable.");
  line.option("--from", flags.from, "TIME", "Report only what arrives from this time on; everything is replayed.");
  line.option("--to", flags.to, "TIME",
              "Report only what arrives before this time. TIME: RFC 3339, an integer (ns), or a duration after the "
              "first arrival (90s).");
  line.option("--watch-init", flags.watch_init, "DURATION",
              "How long a watch initializes where the log does not say (default 0s).");
  line.option("--refused-execution", flags.refused_execution, "DURATION",
              "How long a request runs that the log saw refused (default: the mean of its like so far).");
  line.list("--objects", flags.objects, "[TIME=]FILE",
            "How many objects there are, for the seats of lists: lines such as pods=1234[,bytes], or a scrape of the "
            "server's /metrics; with TIME from then on. Repeatable.");
  line.flag("--retries", flags.retries,
            "Clients whose request is refused here, but not in the log, come back after Retry-After.");
}

void declare_server_flags(CommandLine& line, ReplayFlags& flags) {
  line.heading("Server");
  line.option("--request-timeout", flags.request_timeout, "DURATION",
              "kube-apiserver's flag of that name (default 60s); a request may queue for a quarter of it.");
  line.option(
      "--borrowing", flags.borrowing, "HOW",
      "Seats move between levels as the server does it (server, the default), as KEP-1040 says (kep), or not (off).");
  line.option("--consistent-list-from-cache", flags.consistent_list, "WHEN", "auto (by release, default), on or off.");
  line.option("--start", flags.start, "TIME",
              "When the server came up: borrowing is adjusted then and every 10 s (default: the first arrival).");
  line.list("--config-at", flags.config_at, "TIME=PATH",
            "From this time on another configuration is in force. Repeatable.");
  line.choices("--borrowing", kBorrowing.words());
  line.choices("--consistent-list-from-cache", kAutoOnOff.words());
}

void declare_outputs(CommandLine& line, ReplayFlags& flags) {
  flags.output.declare(line, kReplayFormats);
  line.option("--decisions", flags.decisions, "FILE", "Write one JSON line for each request, in order of arrival.");
  line.option("--timeline", flags.timeline, "FILE", "Write one JSON line for each level and adjustment of its limit.");
  line.option("--metrics", flags.metrics, "FILE",
              "Write the replay's metrics as Prometheus text, under kube-apiserver's own names.");
  line.flag("--metrics-aliases", flags.metrics_aliases,
            "With --metrics: also under the names that KEP-1040 first had.");
  line.list(
      "--expect", flags.expect, "'LEVEL.METRIC OP VALUE'",
      "Exit with 1 unless it holds, as in 'workload-low.p99wait < 1s'. LEVEL may be total or FlowSchema/NAME; with "
      "--server, NAME: in front means that server alone. Repeatable.");
  line.option(
      "--expect-agreement", flags.expect_agreement, "PERCENT",
      "Exit with 1 unless so many requests go to the same level as in the log, and are served or refused as there "
      "(99%).");
  line.option("--spread", flags.spread, "N",
              "Replay N times more with arrivals and ends moved by up to 1ms, and report the ranges (default 0).");
  line.option("--top", flags.top, "N", "How many flows the lists of flows hold (default 10).");
  line.option("--threads", flags.threads, "N",
              "Threads that read the log (default: as many as there are processors). The result is the same.");
}

std::optional<apf::ReplayTime> parse_time(const char* flag, const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::optional<apf::ReplayTime> time = apf::ReplayTime::parse(text);
  if (!time) {
    throw UsageError(
        fmt::format("{}: '{}' is neither an RFC 3339 time, nor an integer (ns), nor a duration after the first arrival",
                    flag, apf::printable(text)));
  }
  return time;
}

// FILE, or TIME=FILE. What has an = before it is no time is a file's name.
void load_objects(const std::vector<std::string>& texts, apf::ReplayOptions& options) {
  bool has_first = false;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const auto time = equals == std::string::npos ? std::nullopt : apf::ReplayTime::parse(text.substr(0, equals));
    const std::string path = time ? text.substr(equals + 1) : text;
    if (path.empty()) throw UsageError("--objects: the file is missing in '" + apf::printable(text) + "'");
    apf::ObjectCounts objects = apf::ObjectCounts::parse(read_text(path), path == "-" ? "standard input" : path);
    if (time) {
      options.objects_at.emplace_back(*time, std::move(objects));
    } else {
      if (has_first) throw UsageError("--objects: two files hold from the beginning; give one of them as TIME=FILE");
      has_first = true;
      options.objects = std::move(objects);
    }
  }
}

}  // namespace

void ReplayFlags::declare(CommandLine& line) {
  line.synopsis("replay LOG... [-f PATH]... [FLAG]...");
  line.about(
      "Replays the requests of a kube-apiserver's log through API Priority and Fairness and reports, for each priority "
      "level, FlowSchema and flow, who was served, who waited and who was refused. LOG: any log of apfctl-logs(5), "
      "plain, "
      "gzip or zstd, in the order they were written; an audit log and the same server's own log are joined; - is "
      "standard input.");
  line.example("what would my configuration have done to yesterday's traffic?",
               "apfctl replay audit.log -f flowcontrol/");
  line.example(
      "fail a pipeline when the nodes would wait",
      "apfctl replay audit.log.gz -f flowcontrol/ --expect 'node-high.p99wait < 1s' --expect 'total.rejected == 0'");
  config.declare(line);
  declare_log_flags(line, *this);
  release.declare(line);
  inflight.declare(line);
  declare_server_flags(line, *this);
  stages.declare(line);
  line.option("--systems", systems, "NAME,...",
              "Compare systems that limit requests, each alone before the same log: max-in-flight, client-limit, "
              "event-rate-limit, apf; or all. With -o text, json or markdown.");
  declare_outputs(line, *this);
  console.declare(line);
}

void ReplayFlags::check() {
  console.check();
  output.check();
  release.check();
  inflight.check();
  log.check();
  if (systems) check_systems();
}

// A comparison is of replays, and has neither lines nor metrics of its own.
void ReplayFlags::check_systems() const {
  const std::vector<std::string> names = parse_systems(*systems);
  const std::pair<bool, const char*> others[] = {{!servers.empty(), "--server"},
                                                 {!decisions.empty(), "--decisions"},
                                                 {!timeline.empty(), "--timeline"},
                                                 {!metrics.empty(), "--metrics"},
                                                 {!expect_agreement.empty(), "--expect-agreement"},
                                                 {spread != "0", "--spread"},
                                                 {!stages.quotas.empty(), "--quota"},
                                                 {stages.apf_text != "on", "--apf"}};
  for (const auto& [given, flag] : others)
    if (given) throw UsageError(fmt::format("--systems compares several replays: {} is for one of them alone", flag));
  for (const OutputFlags::Target& target : output.targets)
    if (target.format != "text" && target.format != "json" && target.format != "markdown")
      throw UsageError(fmt::format("-o {}: --systems writes text, json and markdown", target.format));
  const auto among = [&](const char* name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  if (among("event-rate-limit") && stages.event_rate_limit.empty())
    throw UsageError("--systems: event-rate-limit needs its configuration: --event-rate-limit FILE");
  if (!among("event-rate-limit") && !stages.event_rate_limit.empty())
    throw UsageError("--event-rate-limit: event-rate-limit is not among the --systems");
  const std::pair<bool, const char*> of_clients[] = {{stages.qps_text.has_value(), "--client-qps"},
                                                     {stages.burst_text.has_value(), "--client-burst"},
                                                     {!stages.limit_texts.empty(), "--client-limit"}};
  for (const auto& [given, flag] : of_clients)
    if (given && !among("client-limit"))
      throw UsageError(fmt::format("{}: client-limit is not among the --systems", flag));
  if (among("max-in-flight") && inflight.sum_given())
    throw UsageError(
        "--server-concurrency: for max-in-flight reads and writes have limits of their own: give "
        "--max-requests-inflight and --max-mutating-requests-inflight");
}

apf::ReplayOptions ReplayFlags::options() const {
  apf::ReplayOptions options;
  options.log_format = log.format;
  options.log_year = log.year;
  options.controller.server_concurrency_limit = inflight.server_concurrency_limit;
  options.controller.version = release.version;
  options.controller.borrowing = kBorrowing.parse("--borrowing", borrowing);
  stages.set(options, inflight);
  options.start = parse_time("--start", start);
  options.from = parse_time("--from", from);
  options.to = parse_time("--to", to);
  options.request_timeout = parse_duration("--request-timeout", request_timeout);
  if (options.request_timeout == 0) throw UsageError("--request-timeout: 0 leaves no time for any request");
  options.watch_init = parse_duration("--watch-init", watch_init);
  if (!refused_execution.empty()) options.refused_execution = parse_duration("--refused-execution", refused_execution);
  const std::optional<bool> consistent = kAutoOnOff.parse("--consistent-list-from-cache", consistent_list);
  if (consistent) options.consistent_list_from_cache = consistent;
  options.threads = static_cast<int>(parse_int("--threads", threads, 0, 1024));
  options.retries = retries;
  options.spread = static_cast<int>(parse_int("--spread", spread, 0, 1000));
  options.top = static_cast<int>(parse_int("--top", top, 0, 100'000));
  options.decisions_path = decisions;
  options.timeline_path = timeline;
  options.metrics = !metrics.empty();
  want_for_formats(output, options);
  load_objects(objects, options);
  return options;
}

bool ReplayFlags::load_configs(apf::ReplayOptions& options) const {
  if (!stages.load_event_rate_limit(options, console)) return false;
  if (!stages.load_quotas(options, console, config.no_validate)) return false;
  std::optional<apf::Config> loaded = config.load(console, release);
  if (!loaded) return false;
  options.config = std::move(*loaded);
  for (const std::string& text : config_at) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals + 1 == text.size())
      throw UsageError("--config-at: '" + apf::printable(text) + "' is not TIME=PATH");
    const std::optional<apf::ReplayTime> time = parse_time("--config-at", text.substr(0, equals));
    if (!time) throw UsageError("--config-at: the time is missing in '" + apf::printable(text) + "'");
    loaded = config.load({text.substr(equals + 1)}, console, release);
    if (!loaded) return false;
    options.config_changes.emplace_back(*time, std::move(*loaded));
  }
  return true;
}

}  // namespace apfctl
