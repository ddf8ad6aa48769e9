#include "replay/passes/ensemble.h"

#include <apf/error.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "logs/inflate.h"
#include "replay/books/worst_case.h"
#include "replay/engine/run_options.h"
#include "replay/passes/recording.h"
#include "replay/passes/replay_into.h"
#include "schedule/controller.h"

#include "base/text.h"

namespace apf {

namespace {

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

}  // namespace

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

void check_can_be_read_again(const ReplayOptions& options, const char* what) {
  for (const std::string& path : options.logs) {
    std::error_code error;
    if (path != "-" && !std::filesystem::exists(path, error)) continue;  // whoever opens it says so
    if (!can_be_read_again(path, options.texts))
      throw Error(std::string(what) + " needs several replays of the log, but " + name_of_input(path) +
                  " can be read only once: give a file");
  }
}

bool clock_is_open(const ReplayOptions& options, const ReplayReport& report) {
  const auto without_waits = [](const Remark& remark) {
    return remark.kind == RemarkKind::nothing_waited || remark.kind == RemarkKind::waits_unrecorded;
  };
  return options.recorded || report.undecided ||
         std::any_of(report.assumptions.begin(), report.assumptions.end(), without_waits);
}

void vary(ReplayOptions& options, int number, int runs, bool sweeps) {
  if (options.jitter == 0) options.jitter = kUsualJitter;
  options.jitter_seed += static_cast<std::uint64_t>(number);
  // The phases lie evenly in the 10 s after that of the replay.
  if (sweeps) options.clock_shift = kBorrowingPeriod * number / (runs + 1);
}

std::vector<ReplayOptions> variants_of(const ReplayOptions& options, const ReplayReport& first, bool sweeps) {
  ReplayOptions own = options;
  own.spread = 0;
  own.progress = nullptr;
  std::vector<UnknownWaits> assumptions = {options.unknown_waits};
  if (first.undecided) assumptions = {UnknownWaits::undecided, UnknownWaits::recorded_ends};
  std::vector<ReplayOptions> out;
  for (int number = 0; number <= options.spread; ++number) {
    for (const UnknownWaits assumption : assumptions) {
      ReplayOptions& variant = out.emplace_back(own);
      variant.unknown_waits = assumption;
      if (number > 0) vary(variant, number, options.spread, sweeps);
    }
  }
  return out;
}

void add_recorded_ends(const ReplayOptions& options, ReplayReport& report, const Recording* log) {
  const ReplayOptions own = with_recorded_ends(options);
  ReplayReport other = log ? log->replay(own) : replay_unsettled(own, HeldAgainstLog::no);
  report.interrupted = other.interrupted;
  report.others.push_back(std::move(other));
}

namespace {

// Without one, the log is read for each, up to the first that is interrupted.
std::vector<ReplayReport> replay_all(const std::vector<ReplayOptions>& options, const Recording* log) {
  if (log) return log->replay_all(options);
  std::vector<ReplayReport> out;
  for (const ReplayOptions& own : options) {
    OutputFile no_decisions(""), no_timeline("");
    out.push_back(replay_alone(own, no_decisions, no_timeline));
    keep_listed_flows(out.back());
    if (out.back().interrupted) break;
  }
  return out;
}

}  // namespace

void add_spread(const ReplayOptions& options, ReplayReport& report, const Recording* log) {
  const bool sweeps = clock_is_open(options, report);
  report.spread.clock_swept = sweeps;
  widen(report.spread, report);
  for (const ReplayReport& other : report.others) widen(report.spread, other);
  ReplayOptions own = without_outputs(options);
  own.spread = options.spread;
  own.compare_fill = false;
  own.all_flows = true;
  own.top = kMostListed;
  std::vector<ReplayOptions> replays = variants_of(own, report, sweeps);
  replays.erase(replays.begin(), replays.begin() + (report.undecided ? 2 : 1));  // they are there
  for (ReplayReport& other : replay_all(replays, log)) {
    if (other.interrupted) {
      report.interrupted = true;
      return;
    }
    widen(report.spread, other);
    std::vector<ReplayReport> others = std::move(other.others);
    other.others.clear();
    for (const ReplayReport& o : others) widen(report.spread, o);
    if (!sweeps) continue;
    for (ReplayReport& o : others) report.others.push_back(std::move(o));
    report.others.push_back(std::move(other));
  }
}

}  // namespace apf
