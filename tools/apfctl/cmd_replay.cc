// apfctl replay: what API Priority and Fairness does to the requests of a log.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include <apf/error.h>
#include <apf/replay.h>
#include <apf/servers.h>

#include "commands.h"
#include "input.h"
#include "options.h"
#include "output.h"
#include "replay_output.h"
#include "replay_servers.h"
#include "terminal.h"

namespace apfctl {

namespace {

constexpr int kUnmet = 1;
constexpr int kUsageOrInput = 2;

const std::vector<std::string> kLogFormats = {"auto", "audit", "trace"};
const std::vector<std::string> kBorrowing = {"server", "kep", "off"};
const std::vector<std::string> kAutoOnOff = {"auto", "on", "off"};

struct Flags {
  Console console;
  OutputFlags output;
  ConfigFlags config;
  ReleaseFlags release;
  InflightFlags inflight;
  std::string log_format = "auto", borrowing = "server", consistent_list = "auto", request_timeout = "60s";
  std::string watch_init = "0s", refused_execution, objects, start, from, to, threads = "0", top = "10", decisions,
              timeline, metrics;
  bool metrics_aliases = false;
  std::vector<std::string> config_at, expect, servers;
};

void declare_log_flags(CommandLine& line, Flags& flags) {
  line.heading("Log");
  line.option("--log-format", flags.log_format, "FORMAT", "auto (default), audit or trace.");
  line.list("--server", flags.servers, "NAME=LOG",
            "A server and its log; LOGs that follow are of the same server. Each server is replayed by itself. Repeatable.");
  line.option("--from", flags.from, "TIME", "Report only what arrives from this time on; everything is replayed.");
  line.option("--to", flags.to, "TIME",
              "Report only what arrives before this time. TIME: RFC 3339, an integer (ns), or a duration after the "
              "first arrival (90s).");
  line.option("--watch-init", flags.watch_init, "DURATION",
              "How long a watch initializes where the log does not say (default 0s).");
  line.option("--refused-execution", flags.refused_execution, "DURATION",
              "How long a request runs that the log saw refused (default: the mean of its like so far).");
  line.option("--objects", flags.objects, "FILE",
              "How many objects there are, for the seats of lists: lines such as pods=1234[,bytes], or a scrape of the "
              "server's /metrics.");
}

void declare_server_flags(CommandLine& line, Flags& flags) {
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
}

void declare(CommandLine& line, Flags& flags) {
  line.synopsis("replay LOG... [-f PATH]... [FLAG]...");
  line.about(
      "Replays the requests of one kube-apiserver's log through API Priority and Fairness and reports, for each "
      "priority level, "
      "FlowSchema and flow, who was served, who waited and who was refused. LOG: audit logs or trace lines, plain, "
      "gzip or zstd, in the "
      "order they were written; - is standard input.");
  line.example("what would my configuration have done to yesterday's traffic?",
               "apfctl replay audit.log -f flowcontrol/");
  line.example(
      "fail a pipeline when the nodes would wait",
      "apfctl replay audit.log.gz -f flowcontrol/ --expect 'node-high.p99wait < 1s' --expect 'total.rejected == 0'");
  flags.config.declare(line);
  declare_log_flags(line, flags);
  flags.release.declare(line);
  flags.inflight.declare(line);
  declare_server_flags(line, flags);
  flags.output.declare(line, kReplayFormats);
  line.option("--decisions", flags.decisions, "FILE", "Write one JSON line for each request, in order of arrival.");
  line.option("--timeline", flags.timeline, "FILE", "Write one JSON line for each level and adjustment of its limit.");
  line.option("--metrics", flags.metrics, "FILE", "Write the replay's metrics as Prometheus text, under kube-apiserver's own names.");
  line.flag("--metrics-aliases", flags.metrics_aliases, "With --metrics: also under the names that KEP-1040 first had.");
  line.list("--expect", flags.expect, "'LEVEL.METRIC OP VALUE'",
            "Exit with 1 unless it holds, as in 'workload-low.p99wait < 1s'. LEVEL may be total or FlowSchema/NAME; with "
            "--server, NAME: in front means that server alone. Repeatable.");
  line.option("--top", flags.top, "N", "How many flows the lists of flows hold (default 10).");
  line.option("--threads", flags.threads, "N",
              "Threads that read the log (default: as many as there are processors). The result is the same.");
  flags.console.declare(line);
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

// False: a configuration has errors.
bool load_configs(const Flags& flags, apf::ReplayOptions& options) {
  std::optional<apf::Config> config = flags.config.load(flags.console, flags.release);
  if (!config) return false;
  options.config = std::move(*config);
  for (const std::string& text : flags.config_at) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals + 1 == text.size())
      throw UsageError("--config-at: '" + apf::printable(text) + "' is not TIME=PATH");
    const std::optional<apf::ReplayTime> time = parse_time("--config-at", text.substr(0, equals));
    if (!time) throw UsageError("--config-at: the time is missing in '" + apf::printable(text) + "'");
    config = flags.config.load({text.substr(equals + 1)}, flags.console, flags.release);
    if (!config) return false;
    options.config_changes.emplace_back(*time, std::move(*config));
  }
  return true;
}

void set_options(const Flags& flags, apf::ReplayOptions& options) {
  parse_choice("--log-format", flags.log_format, kLogFormats);
  options.log_format = flags.log_format;
  options.controller.server_concurrency_limit = flags.inflight.server_concurrency_limit;
  options.controller.version = flags.release.version;
  options.controller.borrowing = static_cast<apf::Borrowing>(parse_choice("--borrowing", flags.borrowing, kBorrowing));
  options.start = parse_time("--start", flags.start);
  options.from = parse_time("--from", flags.from);
  options.to = parse_time("--to", flags.to);
  options.request_timeout = parse_duration("--request-timeout", flags.request_timeout);
  if (options.request_timeout == 0) throw UsageError("--request-timeout: 0 leaves no time for any request");
  options.watch_init = parse_duration("--watch-init", flags.watch_init);
  if (!flags.refused_execution.empty())
    options.refused_execution = parse_duration("--refused-execution", flags.refused_execution);
  const std::size_t consistent = parse_choice("--consistent-list-from-cache", flags.consistent_list, kAutoOnOff);
  if (consistent > 0) options.consistent_list_from_cache = consistent == 1;
  options.threads = static_cast<int>(parse_int("--threads", flags.threads, 0, 1024));
  options.top = static_cast<int>(parse_int("--top", flags.top, 0, 100'000));
  options.decisions_path = flags.decisions;
  options.timeline_path = flags.timeline;
  options.metrics = !flags.metrics.empty();
  want_for_formats(flags.output, options);
  watch_interrupts();
  options.interrupted = &g_interrupted;
}

int tell_unmet(const std::vector<apf::ExpectationResult>& results, const Console& console) {
  int code = 0;
  for (const apf::ExpectationResult& result : results) {
    if (!result.met) {
      code = kUnmet;
      write_stderr("apfctl replay: not met: " + apf::printable(result.message) + "\n");
    } else if (console.verbose) {
      console.note("met: " + apf::printable(result.message));
    }
  }
  return code;
}

ReplayOutcome run(const Flags& flags, apf::ReplayOptions& options, const std::vector<ServerLogs>& servers) {
  ProgressLine progress(!flags.console.quiet);
  options.progress = [&](const apf::ReplayProgress& p) {
    progress.show(p.bytes_read, p.bytes_total, p.requests, apf::format_rfc3339(p.clock / apf::kSecond * apf::kSecond));
  };
  ReplayOutcome outcome;
  if (servers.front().name.empty()) {
    options.logs = servers.front().logs;
    outcome.reports.push_back(apf::replay(options));
    return outcome;
  }
  std::vector<apf::ReplayOptions> each(servers.size(), options);
  for (std::size_t i = 0; i < servers.size(); ++i) {
    each[i].server = servers[i].name;
    each[i].logs = servers[i].logs;
  }
  apf::ServersReport report = apf::replay_servers(each, options.threads);
  outcome.reports = std::move(report.servers);
  outcome.total = std::move(report.total);
  return outcome;
}

// A log without a request is a mistake; of several servers some may have been idle.
void check_requests(const ReplayOutcome& outcome, const Console& console) {
  std::uint64_t requests = 0;
  bool interrupted = false;
  for (const apf::ReplayReport& report : outcome.reports) {
    requests += report.requests;
    interrupted = interrupted || report.interrupted;
  }
  if (requests == 0 && !interrupted) throw apf::Error("there is no request in the log: nothing was replayed");
  for (const apf::ReplayReport& report : outcome.reports)
    if (report.requests == 0 && !report.interrupted)
      console.warn("server " + report.server + ": there is no request in its log");
}

}  // namespace

int cmd_replay(CommandLine& line) {
  Flags flags;
  declare(line, flags);
  if (!line.parse()) return 0;
  apf::ReplayOptions options;
  const std::vector<ServerLogs> servers = server_logs(line);
  flags.console.check();
  flags.output.check();
  flags.release.check();
  flags.inflight.check();
  set_options(flags, options);
  std::vector<std::string> names;
  for (const ServerLogs& server : servers)
    if (!server.name.empty()) names.push_back(server.name);
  const Expectations expectations(flags.expect, names);
  if (!flags.objects.empty())
    options.objects =
        apf::ObjectCounts::parse(read_text(flags.objects), flags.objects == "-" ? "standard input" : flags.objects);
  if (!load_configs(flags, options)) return kUsageOrInput;
  expectations.check_subjects(options);

  const ReplayOutcome outcome = run(flags, options, servers);
  const apf::ReportFrame frame{flags.config.origin(flags.release) + "; " + flags.inflight.origin(),
                               expectations.results(outcome)};
  write_metrics(flags.metrics, flags.metrics_aliases, outcome);
  write_replay(flags.output, flags.console, outcome, frame);
  check_requests(outcome, flags.console);
  return tell_unmet(frame.expectations, flags.console);
}

}  // namespace apfctl
