#include "replay/spread.h"

#include <apf/error.h>

#include <algorithm>

#include "logs/inflate.h"

namespace apf {

namespace {

constexpr Nanos kUsualJitter = kMillisecond;

void widen(Spread::Level& range, const RequestTally& tally, bool first) {
  const auto add = [first](auto value, auto& least, auto& most) {
    least = first ? value : std::min(least, value);
    most = first ? value : std::max(most, value);
  };
  add(tally.rejected(), range.rejected_least, range.rejected_most);
  add(tally.wait.mean(), range.mean_wait_least, range.mean_wait_most);
  add(tally.wait.quantile(0.5), range.p50_least, range.p50_most);
  add(tally.wait.quantile(0.9), range.p90_least, range.p90_most);
  add(tally.wait.quantile(0.99), range.p99_least, range.p99_most);
}

void widen(Spread& spread, const ReplayReport& report) {
  const bool first = spread.runs++ == 0;
  if (first) {
    for (const LevelReport& level : report.levels) spread.levels.emplace_back().name = level.name;
    spread.levels.emplace_back();
  }
  for (Spread::Level& range : spread.levels) {
    if (range.name.empty()) {
      widen(range, report.total, first);
      continue;
    }
    const auto level = std::find_if(report.levels.begin(), report.levels.end(),
                                    [&](const LevelReport& l) { return l.name == range.name; });
    if (level != report.levels.end()) widen(range, level->tally, first);
  }
}

}  // namespace

void check_can_be_read_again(const ReplayOptions& options, const char* what) {
  for (const std::string& path : options.logs) {
    if (!can_be_read_again(path, options.texts))
      throw Error(std::string(what) + " needs several replays of the log, but " + (path == "-" ? "standard input" : path) +
                  " can be read only once: give a file");
  }
}

void add_spread(const ReplayOptions& options, ReplayReport& report) {
  widen(report.spread, report);
  for (int i = 1; i <= options.spread; ++i) {
    ReplayOptions again = options;
    again.spread = 0;
    again.compare_fill = false;
    again.jitter = options.jitter > 0 ? options.jitter : kUsualJitter;
    again.jitter_seed = options.jitter_seed + static_cast<std::uint64_t>(i);
    again.decisions_path.clear();
    again.timeline_path.clear();
    again.metrics = again.series = again.all_flows = false;
    again.progress = nullptr;
    const ReplayReport other = replay(again);
    if (other.interrupted) {
      report.interrupted = true;
      return;
    }
    widen(report.spread, other);
  }
}

}  // namespace apf
