// The borrowing step.
#include "schedule/borrow.h"
#include "base/releases.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <apf/limits.h>

namespace apf {

namespace {

// How fast smoothed demand forgets. Both literals are the server's: 1 - 0.977 in doubles is not 0.023.
constexpr double kKept = 0.977, kTakenIn = 0.023;

void set_target(BorrowState& level) {
  level.min_current_cl = std::max(level.min_cl, std::min(level.nominal_cl, level.high_watermark));  // exempt or not
  level.target = std::max(static_cast<double>(level.min_current_cl), level.smoothed);
}

struct Demand {
  std::int64_t remaining = 0;                     // nominal seats less what exempt levels take
  std::int64_t min_sum = 0, min_current_sum = 0;  // of the levels that share
};

// Solves the allocation for the levels that `shares` admits.
template <typename Shares>
double share_out(std::span<BorrowState> levels, std::int64_t required, Shares shares) {
  std::vector<AllocationClass> classes;
  classes.reserve(levels.size());
  for (const BorrowState& level : levels) {
    if (!shares(level)) continue;
    classes.push_back({static_cast<double>(level.min_current_cl), static_cast<double>(level.max_cl), level.target});
  }
  const std::optional<Allocation> solution = allocate(required, classes);
  if (!solution) return 0;
  std::size_t next = 0;
  for (BorrowState& level : levels) {
    if (shares(level)) level.current_cl = saturated_int(std::round(solution->allocs[next++]));
  }
  return solution->fair_prop;
}

Demand take_exempt_first(std::span<BorrowState> levels, std::int64_t nominal_sum) {
  Demand demand;
  demand.remaining = nominal_sum;
  for (BorrowState& level : levels) {
    if (level.exempt) {
      level.min_current_cl = min_current_cl_of(level);
      level.target = 0;
      level.current_cl = level.min_current_cl;
      demand.remaining -= level.min_current_cl;
    } else {
      set_target(level);
      demand.min_sum += level.min_cl;
      demand.min_current_sum += level.min_current_cl;
    }
  }
  return demand;
}

double step_exempt_first(std::span<BorrowState> levels, std::int64_t nominal_sum) {
  const Demand demand = take_exempt_first(levels, nominal_sum);
  if (demand.remaining <= demand.min_sum) {
    for (BorrowState& level : levels) {
      if (!level.exempt) level.current_cl = level.min_cl;
    }
    return 0;
  }
  if (demand.remaining <= demand.min_current_sum) {
    const double part = static_cast<double>(demand.remaining - demand.min_sum) /
                        static_cast<double>(demand.min_current_sum - demand.min_sum);
    for (BorrowState& level : levels) {
      if (!level.exempt)
        level.current_cl = level.min_cl + saturated_int(std::round((level.min_current_cl - level.min_cl) * part));
    }
    return 0;
  }
  // The server shares out the whole nominal sum here, as if exempt levels used nothing of it.
  return share_out(levels, nominal_sum, [](const BorrowState& level) { return !level.exempt; });
}

}  // namespace

int min_current_cl_of(const BorrowState& level) {
  const int wanted = level.exempt ? level.high_watermark : std::min(level.nominal_cl, level.high_watermark);
  return std::max(level.min_cl, wanted);
}

int saturated_int(double value) {
  if (std::isnan(value)) return 0;
  constexpr double kMin = std::numeric_limits<int>::min(), kMax = std::numeric_limits<int>::max();
  return static_cast<int>(std::clamp(value, kMin, kMax));
}

void BorrowState::observe(const SeatDemandStats& stats) {
  high_watermark = saturated_int(std::round(stats.max));
  if (!(stats.duration > 0)) return;
  avg = stats.avg;
  stdev = std::isnan(stats.stdev) ? 0 : stats.stdev;
  smoothed = next_smoothed();
}

double BorrowState::next_smoothed() const {
  const double envelope = avg + stdev;
  return std::max(envelope, kKept * smoothed + kTakenIn * envelope);
}

BorrowRule borrow_rule(KubeVersion version, Borrowing borrowing) {
  if (!has(version, Feature::borrowing) || borrowing == Borrowing::off) return BorrowRule::none;
  const bool exempt = has(version, Feature::exempt_level_has_seats);
  if (borrowing == Borrowing::kep) return exempt ? BorrowRule::kep : BorrowRule::kep_limited_only;
  if (!exempt) return BorrowRule::limited_only;
  return has(version, Feature::exempt_level_allocated_first) ? BorrowRule::exempt_first : BorrowRule::exempt_alike;
}

double borrow_step(std::span<BorrowState> levels, SharedSeats seats, BorrowRule rule) {
  switch (rule) {
    case BorrowRule::none:
      for (BorrowState& level : levels) {
        level.min_current_cl = level.current_cl = level.nominal_cl;
        level.target = level.exempt ? 0 : level.nominal_cl;
      }
      return -1;
    case BorrowRule::limited_only:
    case BorrowRule::exempt_alike: {
      const bool exempt_too = rule == BorrowRule::exempt_alike;
      for (BorrowState& level : levels) {
        if (!level.exempt || exempt_too) set_target(level);
      }
      return share_out(levels, seats.nominal_sum,
                       [&](const BorrowState& level) { return !level.exempt || exempt_too; });
    }
    case BorrowRule::exempt_first:
      return step_exempt_first(levels, seats.nominal_sum);
    case BorrowRule::kep:
    case BorrowRule::kep_limited_only:
      return kep_borrow_step(levels, seats.server_cl, rule == BorrowRule::kep);
  }
  return -1;
}

}  // namespace apf
