// One step of the borrowing between levels: what the seat demand of the period just ended makes of every level's
// CurrentCL. A pure function over level states (KEP-1040 "Dispatching"; updateBorrowingLocked of apf_controller.go,
// v1.36).
#pragma once

#include <cstdint>
#include <span>

#include <apf/limits.h>
#include <apf/version.h>

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
  none,              // CurrentCL = NominalCL: before 1.26, or borrowing switched off
  limited_only,      // 1.26 and 1.27: exempt levels take no part
  exempt_alike,      // 1.28 to 1.30: an exempt level shares and borrows by the formula of the others (issue 124125)
  exempt_first,      // since 1.31: exempt demand is taken off first, but only to choose among three cases (pull request
                     // 124736)
  kep,               // as KEP-1040 has it, of ServerCL (kep_borrowing.cc); apfctl-kep(7) says where the server differs
  kep_limited_only,  // the same without exempt levels: 1.26 and 1.27
};

// The seats to share out.
struct SharedSeats {
  std::int64_t nominal_sum = 0;  // sum of all NominalCL: what the server shares out
  std::int64_t server_cl = 0;    // ServerCL: what the KEP shares out; less than nominal_sum by what rounding up adds
};

BorrowRule borrow_rule(KubeVersion version, Borrowing borrowing);

// Sets min_current_cl, target and current_cl of every level. Returns the fair fraction: 0 where no allocation was
// solved, -1 under BorrowRule::none. Without a solution the CurrentCLs stay.
double borrow_step(std::span<BorrowState> levels, SharedSeats seats, BorrowRule rule);
// The same under BorrowRule::kep and, with exempt levels that take no part, kep_limited_only.
double kep_borrow_step(std::span<BorrowState> levels, std::int64_t server_cl, bool exempt_takes_part);
// How many seats an exempt level takes, and at least a level that is not: MinCurrentCL (KEP-1040 "Dispatching").
int min_current_cl_of(const BorrowState& level);

// A double as an int, NaN as 0 and out of range at the nearest end.
int saturated_int(double value);

}  // namespace apf
