#include "replay/passes/contradiction.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/thousands.h"
#include "config/maintenance.h"
#include "logs/server_names.h"
#include "replay/engine/run_options.h"

namespace apf {

namespace {

constexpr std::size_t kNamed = 3;  // levels, users

// Replays of the same traffic on the same server differ by up to half of the refusals, by the phase of the 10 s clock.
// So twice as many say that it is another server; a handful may be chance.
constexpr double kFactor = 2;
constexpr double kDeviations = 2;  // of a count, about its square root each
// At one level chance decides more: it is a contradiction where that many of all requests fare otherwise.
constexpr double kPart = 0.05;
// Waits: those of the same server differ by less than a quarter.
constexpr double kWaitFactor = 3, kLeastGap = 0.25;  // gap: seconds
constexpr std::uint64_t kLeastWaitsCompared = 10;

bool are_apart(std::uint64_t a, std::uint64_t b) {
  const auto less = static_cast<double>(std::min(a, b)), more = static_cast<double>(std::max(a, b));
  return more > kFactor * less && more - less > kDeviations * std::sqrt(more);
}

bool contradicts_at_a_level(const RecordedReport& recorded) {
  return std::any_of(recorded.levels.begin(), recorded.levels.end(), [&](const RecordedReport::Level& level) {
    const auto more = std::max(level.refused_log, level.refused_replay),
               less = std::min(level.refused_log, level.refused_replay);
    return are_apart(more, less) && static_cast<double>(more - less) > kPart * static_cast<double>(recorded.compared);
  });
}

std::uint64_t refused_in_replay(const RecordedReport& recorded) {
  return recorded.refused_in_both + recorded.refused_only_in_replay;
}

// A replay that refuses where the log has no refusal at all asks what another server would do.
bool refusals_contradict(const RecordedReport& recorded) {
  if (recorded.refused_in_log == 0) return false;
  return are_apart(recorded.refused_in_log, refused_in_replay(recorded)) || contradicts_at_a_level(recorded);
}

bool waits_contradict(const RecordedReport& recorded) {
  if (recorded.mean_wait_log <= kLeastGap) return false;  // the same of waits
  const auto [less, more] = std::minmax(recorded.mean_wait_log, recorded.mean_wait_replay);
  return recorded.waits_compared >= kLeastWaitsCompared && more - less > kLeastGap && more > kWaitFactor * less;
}

bool contradicts(const RecordedReport& recorded) { return refusals_contradict(recorded) || waits_contradict(recorded); }

// Without the requests that arrived last: see RecordedReport::AtEnd.
RecordedReport without_end(const RecordedReport& recorded) {
  const RecordedReport::AtEnd& end = recorded.at_end;
  RecordedReport out;
  out.compared = recorded.compared;
  for (RecordedReport::Level level : recorded.levels) {
    out.refused_in_log += level.refused_log -= level.refused_log_at_end;
    out.refused_only_in_replay += level.refused_replay -= level.refused_replay_at_end;
    out.levels.push_back(std::move(level));
  }
  out.waits_compared = recorded.waits_compared - end.waits_compared;
  if (out.waits_compared == 0) return out;
  const auto all = static_cast<double>(recorded.waits_compared), rest = static_cast<double>(out.waits_compared);
  out.mean_wait_log = (recorded.mean_wait_log * all - end.wait_log) / rest;
  out.mean_wait_replay = (recorded.mean_wait_replay * all - end.wait_replay) / rest;
  return out;
}

// A log that ends too early lacks what kept its requests waiting: it has more refusals and waits than its replay.
// An exempt level never keeps a request waiting.
bool contradicts_at_end_alone(const ReplayReport& report) {
  const RecordedReport& recorded = report.recorded;
  const auto refused_at = [&](const std::string& level) {
    return std::any_of(recorded.levels.begin(), recorded.levels.end(),
                       [&](const RecordedReport::Level& l) { return l.name == level && l.refused_log > 0; });
  };
  if (std::any_of(report.levels.begin(), report.levels.end(),
                  [&](const LevelReport& level) { return level.exempt && refused_at(level.name); }))
    return false;
  const bool is_less = refusals_contradict(recorded) ? refused_in_replay(recorded) < recorded.refused_in_log
                                                     : recorded.mean_wait_replay < recorded.mean_wait_log;
  return is_less && !contradicts(without_end(recorded));
}

std::string in_a_row(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return out;
}

// "400 at workload-low and 12 at shop"
std::string levels_of(const RecordedReport& recorded) {
  std::vector<const RecordedReport::Level*> levels;
  for (const RecordedReport::Level& level : recorded.levels)
    if (level.refused_log > 0) levels.push_back(&level);
  std::stable_sort(levels.begin(), levels.end(),
                   [](const auto* a, const auto* b) { return a->refused_log > b->refused_log; });
  std::vector<std::string> out;
  for (const RecordedReport::Level* level : levels) {
    if (out.size() == kNamed) break;
    out.push_back(levels.size() == 1 ? "all at " + level->name
                                     : with_thousands(level->refused_log) + " at " + level->name);
  }
  return in_a_row(out);
}

// "10 at once and 7 after a wait"
std::string refusals_of(const RecordedReport& recorded) {
  std::uint64_t at_once = 0, late = 0;
  for (int here = 0; here < 3; ++here) {
    at_once += recorded.outcomes[static_cast<int>(Fared::refused_at_once)][here];
    late += recorded.outcomes[static_cast<int>(Fared::refused_after_wait)][here];
  }
  if (at_once == 0 || late == 0) return late > 0 ? "after a wait" : "at once";
  return with_thousands(at_once) + " at once and " + with_thousands(late) + " after a wait";
}

// "14 of system:serviceaccount:db-ops:pg-operator and 3 of alice"
std::string users_of(const RecordedReport& recorded) {
  std::vector<std::string> out;
  for (const RecordedReport::User& user : recorded.refused_users)
    if (!user.name.empty() && out.size() < kNamed) out.push_back(with_thousands(user.requests) + " of " + user.name);
  return in_a_row(out);
}

Nanos nanos(double seconds) { return static_cast<Nanos>(std::llround(std::min(seconds, 9e9) * 1e9)); }

Remark contradiction_of(const RecordedReport& recorded, RemarkKind kind, bool has_levels) {
  Remark out;
  out.kind = kind;
  out.count = recorded.refused_in_log;
  out.other = refused_in_replay(recorded);
  out.total = recorded.compared;
  if (kind == RemarkKind::log_contradicts_at_end) {
    if (!refusals_contradict(recorded)) out.count = 0;
    out.duration = recorded.at_end.length;
  } else if (!refusals_contradict(recorded)) {
    out.duration = nanos(recorded.mean_wait_log);
    out.time = nanos(recorded.mean_wait_replay);
  }
  if (recorded.refused_in_log > 0)
    out.name = refusals_of(recorded) + (has_levels ? ", " + levels_of(recorded) : std::string());
  if (kind != RemarkKind::log_contradicts_at_end) out.detail = users_of(recorded);
  return out;
}

// Whether the replayed server is the recorded one.
bool is_replayed(const RecordedConfig& recorded, const ReplayOptions& options) {
  if (options.in_flight) return false;  // another system than that of the recorded server
  const auto same = [](const auto& a, const auto& b) { return a.meta.name == b.meta.name && equal_specs(a, b); };
  const auto all_same = [&](const auto& a, const auto& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
  };
  return recorded.version == options.version && recorded.config_changes.size() == options.config_changes.size() &&
         recorded.server_concurrency_limit.value_or(options.server_concurrency_limit) ==
             options.server_concurrency_limit &&
         all_same(recorded.config.flow_schemas, options.config.flow_schemas) &&
         all_same(recorded.config.priority_levels, options.config.priority_levels);
}

// Of another load, but of all requests of the log: no replay of its own load contradicts it.
bool nothing_can_contradict(const ReplayReport& report) {
  const RecordedReport& recorded = report.recorded;
  return report.thinned == 0 && recorded.refused_in_log == 0 && recorded.refused_only_in_replay == 0 &&
         recorded.mean_wait_log <= kLeastGap;
}

}  // namespace

bool is_contradiction(const Remark& remark) {
  return remark.kind == RemarkKind::log_contradicts_replay || remark.kind == RemarkKind::log_contradicts_recorded ||
         remark.kind == RemarkKind::log_contradicts_at_end;
}

bool contradicts_log(const ReplayReport& report) { return !report.interrupted && contradicts(report.recorded); }

void warn_of_contradiction(const ReplayOptions& options, ReplayReport& report, std::span<const ReplayReport> more) {
  if (differs_from_log(options)) return;
  const auto all = [](const auto& reports) { return std::all_of(reports.begin(), reports.end(), contradicts_log); };
  std::erase_if(report.warnings, is_of_contradiction);  // of a part of what may be true
  if (!contradicts_log(report) || !all(report.others) || !all(more)) return;
  const RemarkKind kind = contradicts_at_end_alone(report) ? RemarkKind::log_contradicts_at_end
                          : options.recorded && !is_replayed(*options.recorded, options)
                              ? RemarkKind::log_contradicts_recorded
                              : RemarkKind::log_contradicts_replay;
  std::vector<Remark> remarks = {contradiction_of(report.recorded, kind, !options.in_flight_recorded)};
  // What several servers had in use together is the limit of none of them.
  const bool several = std::any_of(report.warnings.begin(), report.warnings.end(), is_of_several_servers);
  for (const RecordedReport::Level& level : report.recorded.levels)
    if (!several && !options.in_flight_recorded && kind != RemarkKind::log_contradicts_at_end &&
        level.seats_while_refusing.value_or(0) > 0 && level.refused_log > level.refused_replay &&
        remarks.size() <= kNamed)
      remarks.push_back({.kind = RemarkKind::seats_while_refusing,
                         .count = static_cast<std::uint64_t>(*level.seats_while_refusing),
                         .name = level.name});
  report.warnings.insert(report.warnings.begin(), remarks.begin(), remarks.end());
}

bool hold_against_log(const ReplayOptions& options, ReplayReport& report,
                      const std::function<ReplayReport(const ReplayOptions&)>& replay) {
  if (!differs_from_log(options)) {
    std::vector<ReplayReport> more;
    if (report.undecided && report.others.empty() && contradicts_log(report)) {
      ReplayOptions own = options;
      own.unknown_waits = UnknownWaits::recorded_ends;
      more.push_back(replay(own));
    }
    warn_of_contradiction(options, report, more);
    return report.recorded.compared > 0;
  }
  const bool is_scaled = !options.scales.empty() || !options.execution_scales.empty();
  bool is_compared = report.recorded.compared > 0;
  if (!report.interrupted && (is_scaled ? !nothing_can_contradict(report) : contradicts_log(report))) {
    ReplayOptions own = without_outputs(options);
    own.scales.clear();
    own.execution_scales.clear();
    own.compare_fill = false;
    if (!is_scaled) own.in_flight.reset();
    ReplayReport plain = replay(own);
    is_compared = hold_against_log(own, plain, replay);
    report.interrupted = plain.interrupted;
    std::erase_if(plain.warnings, [](const Remark& remark) { return !is_of_contradiction(remark); });
    for (Remark& remark : plain.warnings)
      if (remark.kind == RemarkKind::log_contradicts_replay) remark.kind = RemarkKind::log_contradicts_recorded;
    report.warnings.insert(report.warnings.begin(), plain.warnings.begin(), plain.warnings.end());
  }
  if (!is_scaled) return is_compared;
  report.recorded = {};  // the log's load was another one
  for (ReplayReport& other : report.others) other.recorded = {};
  return is_compared;
}

}  // namespace apf
