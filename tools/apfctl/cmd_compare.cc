// apfctl compare: what changes for whom, on the traffic of a log.

#include <fmt/format.h>

#include <apf/compare.h>
#include <apf/error.h>
#include <apf/report.h>

#include "commands.h"
#include "compare_expectations.h"
#include "exit_code.h"
#include "options.h"
#include "output.h"
#include "replay_flags.h"
#include "side_flags.h"
#include "terminal.h"

namespace apfctl {

namespace {

struct Flags {
  Console console;
  OutputFlags output;
  SideFlags sides;
  ReplayFlags replay;  // those about the log, its clients and the stages
  std::vector<std::string> logs, expect;
  std::string spread = "3", tolerance;
};

void declare(CommandLine& line, Flags& flags) {
  line.synopsis("compare OLD NEW... --log LOG... [FLAG]...");
  line.about(
      "Replays a log under OLD and under each NEW, and shows for whom something changes: requests that get another "
      "FlowSchema or level, and levels, FlowSchemas and flows whose requests are refused or wait more, or less. The "
      "log "
      "is taken as recorded under OLD. OLD and NEW: a file, a directory, a glob, git:REV[:PATH], or builtins@VERSION.");
  line.example("who is better off, and who pays for it?",
               "apfctl compare git:main:flowcontrol flowcontrol/ --log audit.log");
  line.example("fail a pipeline if requests of nodes would wait longer",
               "apfctl compare old/ new/ --log audit.log.gz --expect 'new.node-high.p99wait <= old.node-high.p99wait'");
  line.heading("Comparison");
  line.list("--log", flags.logs, "LOG",
            "A log in any format of apfctl-logs(5), plain, gzip or zstd. Logs of one server are joined. Repeatable.");
  line.option("--spread", flags.spread, "N",
              "Replay each side N more times with jitter; only differences beyond theirs count (default 3).");
  line.option("--tolerance", flags.tolerance, "PERCENT",
              "Exit 1 if a level or FlowSchema gets worse by more than this, beyond chance: refusals in percentage "
              "points, waits in percent.");
  line.list("--expect", flags.expect, "'SIDE.LEVEL.METRIC OP VALUE'",
            "Exit 1 unless this holds, such as 'new.total.rejected <= old.total.rejected'. SIDE: old or new (with "
            "several, all of them). VALUE: a number, a duration, or SIDE.LEVEL.METRIC. Repeatable.");
  flags.replay.declare_traffic(line);
  flags.sides.declare(line);
  flags.output.declare(line, {"text", "json", "markdown"});
  flags.console.declare(line);
}

apf::ReplayOptions options_for(const apf::ReplayOptions& shared, const SideFlags::Side& side) {
  apf::ReplayOptions out = shared;
  out.config = side.config;
  out.version = side.version;
  out.server_concurrency_limit = side.server_concurrency_limit;
  out.seats_by_log = !side.inflight.given();
  return out;
}

// How much worse: refusals in percentage points, waits in percent.
double worsening(const apf::ComparedChange& change) {
  const auto share = [](double value, std::uint64_t requests) {
    return requests == 0 ? 0 : 100 * value / static_cast<double>(requests);
  };
  if (change.metric == apf::ComparedChange::Metric::rejected)
    return share(change.new_value, change.new_requests) - share(change.old_value, change.old_requests);
  return change.old_value <= 0 ? 100 : 100 * (change.new_value - change.old_value) / change.old_value;
}

// How many levels and FlowSchemas get worse by more than the tolerance; the first is named.
int check_tolerance(const Flags& flags, const apf::CompareReport& comparison) {
  if (flags.tolerance.empty()) return 0;
  std::string text = flags.tolerance;
  if (text.ends_with('%')) text.pop_back();
  const double most = parse_number("--tolerance", text);
  for (const apf::ComparedChange& change : comparison.changes) {
    const bool counts = change.beyond_chance && change.verdict == apf::ComparedChange::Verdict::worse &&
                        change.what != apf::ComparedChange::What::flow;
    if (!counts || worsening(change) <= most) continue;
    write_stderr(fmt::format("apfctl compare: beyond --tolerance: {} {}: {} is {:.1f} {} worse\n",
                             apf::to_string(change.what), apf::printable(change.name), apf::to_string(change.metric),
                             worsening(change),
                             change.metric == apf::ComparedChange::Metric::rejected ? "points" : "%"));
    return kNotOk;
  }
  return 0;
}

}  // namespace

int cmd_compare(CommandLine& line) {
  Flags flags;
  declare(line, flags);
  if (!line.parse()) return 0;
  const std::vector<std::string>& paths = line.arguments(2, CommandLine::kAnyNumber, "OLD or NEW");
  flags.console.check();
  flags.output.check();
  flags.replay.log.check();
  if (!flags.sides.check(flags.console)) return kUsageOrInput;
  if (flags.logs.empty()) throw UsageError("the log is missing: --log LOG");
  const CompareExpectations expectations(flags.expect);
  apf::ReplayOptions shared = flags.replay.options();
  shared.logs = flags.logs;
  shared.config_changes.clear();
  if (!flags.replay.stages.load_event_rate_limit(shared, flags.console)) return kUsageOrInput;
  if (!flags.replay.stages.load_quotas(shared, flags.console, false)) return kUsageOrInput;
  watch_interrupts();
  shared.interrupted = &g_interrupted;
  ProgressLine progress(!flags.console.quiet);
  shared.progress = [&](const apf::ReplayProgress& p) {
    progress.show(p.bytes_read, p.bytes_total, p.requests, apf::format_rfc3339(p.clock / apf::kSecond * apf::kSecond));
  };

  apf::CompareOptions options;
  options.spread = static_cast<int>(parse_int("--spread", flags.spread, 0, 1000));
  bool loaded = true;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::optional<SideFlags::Side> side = flags.sides.load(i == 0 ? 0 : 1, paths[i], flags.console);
    loaded = loaded && side;
    if (!side) continue;
    if (i == 0) options.old_side = options_for(shared, *side);
    else options.new_sides.push_back(options_for(shared, *side));
  }
  if (!loaded) return kUsageOrInput;
  for (apf::ReplayOptions& side : options.new_sides) {
    apf::RecordedConfig& recorded = side.recorded.emplace();
    recorded.config = options.old_side.config;
    recorded.version = options.old_side.version;
    if (!options.old_side.seats_by_log) recorded.server_concurrency_limit = options.old_side.server_concurrency_limit;
  }
  const apf::CompareReport comparison = apf::compare(options);
  if (comparison.old_report.requests == 0) throw apf::Error("no requests found in the log");
  const std::vector<std::string> names(paths.begin() + 1, paths.end());
  flags.output.write(flags.console, [&](const std::string& format, const apf::TextStyle& style) {
    if (format == "json") return apf::render_json(comparison, names) + "\n";
    if (format == "markdown") return apf::render_markdown(comparison, names);
    return apf::render_text(comparison, names, style);
  });
  const int unmet = expectations.check(comparison);
  const int beyond = check_tolerance(flags, comparison);
  return unmet != 0 ? unmet : beyond;
}

}  // namespace apfctl
