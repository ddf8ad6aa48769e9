// Systems that limit requests, each alone before the same log: the log is read and prepared once for all of them, kept,
// and replayed for each.
#include <apf/error.h>
#include <apf/replay.h>

#include <algorithm>
#include <functional>
#include <mutex>

#include "base/parallel.h"
#include "replay/books/worst_case.h"
#include "replay/passes/contradiction.h"
#include "replay/passes/kept_reading.h"
#include "replay/passes/quota_rounds.h"
#include "replay/passes/recording.h"
#include "replay/passes/replay_into.h"
#include "replay/passes/run.h"

namespace apf {

namespace {

using Replay = std::function<ReplayReport(const ReplayOptions&)>;

// Updates of quotas that conflict take several replays. `replay`: once, with all flows.
ReplayReport replay_rounds(const ReplayOptions& system, const Replay& replay) {
  QuotaRounds rounds({&system, 1}, true);
  ReplayOptions own = system;
  own.all_flows = true;
  ReplayReport report;
  do {
    own.quota_round = rounds.of(0);
    report = replay(own);
  } while (rounds.again({&report, 1}));
  finish_lists(report, system.top, system.all_flows);
  hold_against_log(system, report, replay);
  return report;
}

// The log was written under the configuration that is replayed. `reading`: the options of one of the systems.
std::vector<ReplayReport> replay_as_recorded(const std::vector<ReplayOptions>& systems, const ReplayOptions& reading) {
  const auto replay_each = [&](KeptReading& log) {
    std::vector<ReplayReport> out(systems.size());
    log.read();
    if (log.longer_window()) return out;
    run_tasks(systems.size(), reading.threads, [&](std::size_t i) {
      out[i] = replay_rounds(systems[i], [&](const ReplayOptions& own) { return log.replay(own); });
    });
    return out;
  };
  return run_with_window(
      [&](Nanos window) {
        return KeptReading(reading, {.systems = systems}, window, KeptReading::Flow::of_configurations);
      },
      replay_each, [] {});
}

// The log was written under another configuration, which is replayed once; what that finds out is kept for all.
std::vector<ReplayReport> replay_what_if(const std::vector<ReplayOptions>& systems, const ReplayOptions& reading) {
  OutputFile nowhere("");
  const auto replay_each = [&](Run& run) {
    std::vector<ReplayReport> out;
    if (!run.read()) return out;
    SecondPasses& passes = run.second_passes();
    passes.begin(run.context(), run.engine());
    out.resize(systems.size());
    std::mutex reading_fills;
    run_tasks(systems.size(), reading.threads, [&](std::size_t i) {
      out[i] = replay_rounds(systems[i], [&](const ReplayOptions& own) {
        ReplayReport report;
        passes.replay(report, {own});
        const std::lock_guard lock(reading_fills);
        run.reader().fill(report);
        report.server = own.server;
        report.interrupted = report.interrupted || is_interrupted(own);
        return report;
      });
    });
    return out;
  };
  return run_with_window(
      [&](Nanos window) { return Run(reading, nowhere, nowhere, window, nullptr, {.systems = systems}); }, replay_each,
      [] {});
}

}  // namespace

std::vector<ReplayReport> replay_systems(const std::vector<ReplayOptions>& options, int threads) {
  if (options.empty()) return {};
  threads = thread_count(threads);
  std::vector<ReplayOptions> systems = options;
  for (ReplayOptions& system : systems) {
    if (!Recording::is_for_report_alone(system) || system.fill || system.spread > 0)
      throw Error(
          "systems are replayed side by side for their reports alone: without decisions, timeline, dumps, metrics, "
          "series, a fill and a spread");
    check_options(system);
    system.threads = std::max(1, threads / static_cast<int>(systems.size()));
  }
  ReplayOptions reading = systems.front();
  reading.threads = threads;
  if (systems.size() == 1 && QuotaRounds(systems).single()) return {replay(reading)};
  return reading.recorded ? replay_what_if(systems, reading) : replay_as_recorded(systems, reading);
}

}  // namespace apf
