// apfctl replay: what API Priority and Fairness does to the requests of a log.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include <apf/error.h>
#include <apf/expectation.h>
#include <apf/replay.h>

#include "commands.h"
#include "input.h"
#include "options.h"
#include "output.h"
#include "stage_flags.h"
#include "terminal.h"

namespace apfctl {

namespace {

constexpr int kUnmet = 1;
constexpr int kUsageOrInput = 2;

const std::vector<std::string> kBorrowing = {"server", "kep", "off"};
const std::vector<std::string> kAutoOnOff = {"auto", "on", "off"};

struct Flags {
  Console console;
  OutputFlags output;
  ConfigFlags config;
  ReleaseFlags release;
  InflightFlags inflight;
  LogFlags log;
  StageFlags stages;
  std::string borrowing = "server", consistent_list = "auto", request_timeout = "60s";
  std::string watch_init = "0s", refused_execution, start, from, to, threads = "0", top = "10", decisions,
              timeline;
  std::string expect_agreement, spread = "0";
  bool retries = false;
  std::vector<std::string> config_at, expect, objects;
};

void declare_log_flags(CommandLine& line, Flags& flags) {
  flags.log.declare(line);
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
  flags.stages.declare(line);
  flags.output.declare(line, {"text", "json"});
  line.option("--decisions", flags.decisions, "FILE", "Write one JSON line for each request, in order of arrival.");
  line.option("--timeline", flags.timeline, "FILE", "Write one JSON line for each level and adjustment of its limit.");
  line.list("--expect", flags.expect, "'LEVEL.METRIC OP VALUE'",
            "Exit with 1 unless it holds, as in 'workload-low.p99wait < 1s'. LEVEL may be total or FlowSchema/NAME. "
            "Repeatable.");
  line.option("--expect-agreement", flags.expect_agreement, "PERCENT",
              "Exit with 1 unless so many requests go to the same level as in the log, and are served or refused as there "
              "(99%).");
  line.option("--spread", flags.spread, "N",
              "Replay N times more with arrivals and ends moved by up to 1ms, and report the ranges (default 0).");
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
  options.log_format = flags.log.format;
  options.log_year = flags.log.year;
  options.controller.server_concurrency_limit = flags.inflight.server_concurrency_limit;
  options.controller.version = flags.release.version;
  options.controller.borrowing = static_cast<apf::Borrowing>(parse_choice("--borrowing", flags.borrowing, kBorrowing));
  flags.stages.set(options, flags.inflight);
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
  options.retries = flags.retries;
  options.spread = static_cast<int>(parse_int("--spread", flags.spread, 0, 1000));
  options.top = static_cast<int>(parse_int("--top", flags.top, 0, 100'000));
  options.decisions_path = flags.decisions;
  options.timeline_path = flags.timeline;
  watch_interrupts();
  options.interrupted = &g_interrupted;
}

// FILE, or TIME=FILE. What has an = before it is no time is a file's name.
void load_objects(const Flags& flags, apf::ReplayOptions& options) {
  bool has_first = false;
  for (const std::string& text : flags.objects) {
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

// "99%", "99.5 %", "0.99"; nothing when the flag is not given.
std::optional<double> parse_share(const char* flag, const std::string& text) {
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  std::string_view rest(end);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  const bool percent = rest == "%";
  const double share = percent ? number / 100 : number;
  if (end == text.c_str() || !(percent || rest.empty()) || !(share >= 0 && share <= 1))
    throw UsageError(fmt::format("{}: '{}' is no share such as 99%", flag, apf::printable(text)));
  return share;
}

int check_agreement(const std::optional<double>& wanted, const apf::ReplayReport& report, const Console& console) {
  if (!wanted) return 0;
  const apf::RecordedReport& recorded = report.recorded;
  if (recorded.compared == 0) {
    write_stderr("apfctl replay: not met: --expect-agreement: the log records nothing that the replay could be compared with\n");
    return kUnmet;
  }
  const double share = static_cast<double>(recorded.agreed) / static_cast<double>(recorded.compared);
  const std::string what = fmt::format("agreement of {:.4g} %: {} of {} requests agree with the log ({:.4g} %)", *wanted * 100,
                                       recorded.agreed, recorded.compared, share * 100);
  if (share < *wanted) {
    write_stderr("apfctl replay: not met: " + what + "\n");
    return kUnmet;
  }
  if (console.verbose) console.note("met: " + what);
  return 0;
}

// A name that no configuration of the run holds is told before the work, not after.
void check_subject(const apf::Expectation& expectation, const apf::ReplayOptions& options) {
  apf::ReplayReport names;
  const auto add = [&](const apf::Config& config) {
    for (const apf::PriorityLevel& level : config.priority_levels) names.levels.emplace_back().name = level.meta.name;
    for (const apf::FlowSchema& schema : config.flow_schemas) names.schemas.emplace_back().name = schema.meta.name;
  };
  add(options.config);
  for (const auto& [time, config] : options.config_changes) add(config);
  for (const char* imagined : {"exempt", "catch-all"}) {
    names.levels.emplace_back().name = imagined;
    names.schemas.emplace_back().name = imagined;
  }
  apf::check_expectation(expectation, names);
}

int check_expectations(const std::vector<apf::Expectation>& expectations, const apf::ReplayReport& report,
                       const Console& console) {
  int code = 0;
  for (const apf::Expectation& expectation : expectations) {
    const apf::ExpectationResult result = apf::check_expectation(expectation, report);
    if (!result.met) {
      code = kUnmet;
      write_stderr("apfctl replay: not met: " + apf::printable(result.message) + "\n");
    } else if (console.verbose) {
      console.note("met: " + apf::printable(result.message));
    }
  }
  return code;
}

apf::ReplayReport run(const Flags& flags, apf::ReplayOptions& options) {
  ProgressLine progress(!flags.console.quiet);
  options.progress = [&](const apf::ReplayProgress& p) {
    progress.show(p.bytes_read, p.bytes_total, p.requests, apf::format_rfc3339(p.clock / apf::kSecond * apf::kSecond));
  };
  return apf::replay(options);
}

}  // namespace

int cmd_replay(CommandLine& line) {
  Flags flags;
  declare(line, flags);
  if (!line.parse()) return 0;
  apf::ReplayOptions options;
  options.logs = line.arguments(1, 100'000, "the log (LOG...)");
  flags.console.check();
  flags.output.check();
  flags.release.check();
  flags.inflight.check();
  flags.log.check();
  set_options(flags, options);
  std::vector<apf::Expectation> expectations;
  for (const std::string& text : flags.expect) expectations.push_back(apf::parse_expectation(text));
  load_objects(flags, options);
  const std::optional<double> agreement = parse_share("--expect-agreement", flags.expect_agreement);
  if (!load_configs(flags, options)) return kUsageOrInput;
  for (const apf::Expectation& expectation : expectations) check_subject(expectation, options);

  const apf::ReplayReport report = run(flags, options);
  flags.output.write(flags.console, [&](const std::string& format, const apf::TextStyle& style) {
    if (format == "json") return apf::render_json(report) + "\n";
    return "Configuration: " + flags.config.origin(flags.release) + "; " + flags.stages.origin(flags.inflight) + "\n\n" +
           apf::render_text(report, style);
  });
  if (report.requests == 0 && !report.interrupted)
    throw apf::Error("there is no request in the log: nothing was replayed");
  return std::max(check_expectations(expectations, report, flags.console),
                  check_agreement(agreement, report, flags.console));
}

}  // namespace apfctl
