// The borrowing step as KEP-1040 "Dispatching" describes it. The server's own step differs: apfctl-kep(7).
#include <algorithm>
#include <cmath>
#include <vector>

#include <apf/limits.h>

#include "schedule/borrow.h"

namespace apf {

namespace {

bool shares(const BorrowState& level) { return !level.exempt; }

// "If MinCurrentCL(i) = NominalCL(i) for every priority level i then no adjustment is needed".
bool all_at_nominal(std::span<const BorrowState> levels, bool exempt_takes_part) {
  return std::all_of(levels.begin(), levels.end(), [&](const BorrowState& level) {
    return (level.exempt && !exempt_takes_part) || level.min_current_cl == level.nominal_cl;
  });
}

// Every lower bound reduced in the same proportion.
void scale_down(std::span<BorrowState> levels, std::int64_t remaining, std::int64_t lower_sum) {
  const double part =
      remaining <= 0 ? 0 : static_cast<double>(remaining) / static_cast<double>(std::max<std::int64_t>(lower_sum, 1));
  for (BorrowState& level : levels) {
    if (shares(level)) level.current_cl = saturated_int(std::round(level.min_current_cl * part));
  }
}

// CurrentCL(i) = min(MaxCL(i), max(MinCurrentCL(i), FairProp * Target(i))), with the sum of `remaining`. Where the
// upper bounds sum to less, each level has its own.
double share_out(std::span<BorrowState> levels, std::int64_t remaining) {
  std::vector<AllocationClass> classes;
  std::int64_t upper_sum = 0;
  for (const BorrowState& level : levels) {
    if (!shares(level)) continue;
    classes.push_back({static_cast<double>(level.min_current_cl), static_cast<double>(level.max_cl), level.target});
    upper_sum += level.max_cl;
  }
  const std::optional<Allocation> solution = allocate(std::min(remaining, upper_sum), classes);
  if (!solution) return 0;
  std::size_t next = 0;
  for (BorrowState& level : levels) {
    if (shares(level)) level.current_cl = saturated_int(std::round(solution->allocs[next++]));
  }
  return solution->fair_prop;
}

}  // namespace

double kep_borrow_step(std::span<BorrowState> levels, std::int64_t server_cl, bool exempt_takes_part) {
  std::int64_t remaining = server_cl, lower_sum = 0;  // RemainingServerCL, LowerBoundSum
  for (BorrowState& level : levels) {
    if (!shares(level) && !exempt_takes_part) continue;
    level.min_current_cl = min_current_cl_of(level);
    level.target = shares(level) ? std::max(static_cast<double>(level.min_current_cl), level.smoothed) : 0;
    (shares(level) ? lower_sum : remaining) += shares(level) ? level.min_current_cl : -level.min_current_cl;
  }
  if (all_at_nominal(levels, exempt_takes_part)) {
    for (BorrowState& level : levels) level.current_cl = level.nominal_cl;
    return 0;
  }
  for (BorrowState& level : levels) {
    if (!shares(level) && exempt_takes_part) level.current_cl = level.min_current_cl;
  }
  if (lower_sum < remaining) return share_out(levels, remaining);
  scale_down(levels, remaining, lower_sum);  // by 1 where the sums are equal
  return 0;
}

}  // namespace apf
