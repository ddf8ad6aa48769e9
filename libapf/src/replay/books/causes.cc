#include "replay/books/causes.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/sort_stably.h"
#include "schedule/seat_balance.h"

namespace apf {

namespace {

// Of a level's own limit: idle meanwhile, its queues hold requests back, not its limit.
constexpr double kOwnIdle = 0.25;

// By its own queues and seats: what EventRateLimit and quotas refuse has other causes.
std::uint64_t refused_by(const LevelReport& level) { return level.tally.outcomes.refused(AdmissionStage::apf); }

bool is_in_trouble(const LevelReport& level) {
  return !level.exempt && (refused_by(level) > 0 || level.tally.wait.quantile(0.99) >= kSecond);
}

struct Idle {
  double server = 0, own = 0;  // seats
};

Idle idle_of(const LevelReport& level) {
  const Idle at_refusals = {level.idle_at_refusals, level.own_at_refusals};
  const Idle while_waiting = {level.idle_while_waiting, level.own_while_waiting};
  return is_by_waits(refused_by(level), level.tally.outcomes[Outcome::time_out], at_refusals.server,
                     while_waiting.server)
             ? while_waiting
             : at_refusals;
}

double span_of(const ReplayReport& report) {
  if (!report.first_arrival || !report.last_arrival) return 0;
  return static_cast<double>(*report.last_arrival - *report.first_arrival) / 1e9;
}

// What keeps a level from the idle seats.
const char* holding_back(const LevelReport& level, const Idle& idle) {
  if (level.reject) return "reject";
  const double limit = level.current_cl_avg;
  if (idle.own >= std::max(0.5, kOwnIdle * limit)) return "queues";
  return level.current_cl_max >= level.max_cl || level.max_cl <= level.nominal_cl ? "maximum" : "shares";
}

std::optional<Remark> cause_of(const LevelReport& level, const ReplayReport& report) {
  const Idle idle = idle_of(level);
  SeatBalance balance{static_cast<double>(report.server_concurrency_limit), idle.server};
  // Without queues, over the whole time.
  balance.refused_load = refused_load(refused_by(level), level.tally.executed(), level.tally.seat_seconds,
                                      level.reject ? span_of(report) : level.waiting_seconds);
  std::optional<Remark> out =
      cause_of(balance, refused_by(level) > 0, {report.full_seconds * 1e9, report.longest_full_seconds * 1e9});
  if (!out) return out;
  out->name = level.name;
  if (out->kind != RemarkKind::server_is_full) out->detail = holding_back(level, idle);
  return out;
}

const LevelReport* find(const ReplayReport& report, const std::string& name) {
  const auto at = std::find_if(report.levels.begin(), report.levels.end(),
                               [&](const LevelReport& level) { return level.name == name; });
  return at == report.levels.end() ? nullptr : &*at;
}

}  // namespace

std::vector<Remark> causes_of(const ReplayReport& report) {
  std::vector<Remark> out;
  if (report.in_flight || report.summed > 0) return out;
  std::vector<const LevelReport*> levels;
  for (const LevelReport& level : report.levels)
    if (is_in_trouble(level)) levels.push_back(&level);
  sort_stably(levels, [](const LevelReport* a, const LevelReport* b) {
    if (refused_by(*a) != refused_by(*b)) return refused_by(*a) > refused_by(*b);
    return a->waiting_seconds > b->waiting_seconds;
  });
  for (const LevelReport* level : levels) {
    const std::optional<Remark> cause = cause_of(*level, report);
    if (!cause) continue;
    const bool agreed = std::all_of(report.others.begin(), report.others.end(), [&](const ReplayReport& other) {
      const LevelReport* there = find(other, level->name);
      const std::optional<Remark> also = there && is_in_trouble(*there) ? cause_of(*there, other) : std::nullopt;
      return also && also->kind == cause->kind;
    });
    if (agreed) out.push_back(*cause);
  }
  return out;
}

}  // namespace apf
