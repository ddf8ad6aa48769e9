// One step of the borrowing between levels: what the seat demand of the period just ended makes of every level's
// CurrentCL. A pure function over level states (KEP-1040 "Dispatching"; updateBorrowingLocked of apf_controller.go,
// v1.36).
#pragma once

#include <cstdint>
#include <span>

#include <apf/version.h>
#include "schedule/controller.h"
#include "schedule/seat_demand.h"

namespace apf {

// A level as the borrowing step sees it.
struct BorrowState {
  bool exempt = false;
  int nominal_cl = 0, min_cl = 0, max_cl = 0;
  int current_cl = 0;
  // The demand so far; all zero for a new level.
  int high_watermark = 0;
  double avg = 0, stdev = 0, smoothed = 0;
  // What the last step made of it.
  int min_current_cl = 0;
  double target = 0;  // 0 for exempt levels

  // Takes in the demand of the period just ended; of an empty period only the watermark.
  void observe(const SeatDemandStats& stats);
  // What `smoothed` becomes if the next period is like the last one.
  double next_smoothed() const;
};

enum class BorrowRule : std::uint8_t {
  none,          // CurrentCL = NominalCL: before 1.26, or borrowing switched off
  limited_only,  // 1.26 and 1.27: exempt levels take no part
  exempt_alike,  // 1.28 to 1.30: an exempt level shares and borrows by the formula of the others (issue 124125)
  exempt_first,  // since 1.31: exempt demand is taken off first, but only to choose among three cases (pull request
                 // 124736)
  kep,           // the same, but what exempt demand leaves is also what the others share, as KEP-1040 has it
};

BorrowRule borrow_rule(KubeVersion version, Borrowing borrowing);

// Sets min_current_cl, target and current_cl of every level. Returns the fair fraction: 0 where no allocation was
// solved, -1 under BorrowRule::none. Without a solution the CurrentCLs stay.
double borrow_step(std::span<BorrowState> levels, std::int64_t nominal_sum, BorrowRule rule);

// A double as an int, NaN as 0 and out of range at the nearest end.
int saturated_int(double value);

}  // namespace apf
