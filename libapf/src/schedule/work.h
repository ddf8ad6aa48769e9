// Work in seat-seconds, inline for the scheduler: every event multiplies a rate by a time.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include <apf/time.h>
#include "schedule/seats.h"

namespace apf {

// As seats_times_duration. Half away from zero by hand: without SSE4.1 std::round is a call. Values that do not fit
// come out as Go's conversion gives them on amd64.
inline SeatSeconds work_of(double seats, Nanos duration) {
  const double units = seats * static_cast<double>(duration) / 10.0;
  if (units >= 0 && units < 0x1p52) [[likely]] {
    const auto whole = static_cast<std::int64_t>(units);
    return static_cast<SeatSeconds>(whole + (units - static_cast<double>(whole) >= 0.5));  // the rest is exact
  }
  if (std::fabs(units) < 0x1p52) {
    auto whole = static_cast<std::int64_t>(units);
    const double rest = units - static_cast<double>(whole);  // exact below 2^52
    whole += rest >= 0.5;
    whole -= rest <= -0.5;
    return static_cast<SeatSeconds>(whole);
  }
  if (std::fabs(units) < 0x1p63) return static_cast<SeatSeconds>(static_cast<std::int64_t>(units));
  if (units > 0) return units < 0x1p64 ? static_cast<SeatSeconds>(units) : 0;
  return SeatSeconds{1} << 63;
}

// The same for whole seats, mostly without doubles: below 2^50 a product divided by 10 is rounded alike, as a double is
// fine enough there to tell every tenth from a half.
inline SeatSeconds work_of(int seats, Nanos duration) {
  constexpr Nanos kLong = Nanos{1} << 42;  // over an hour
  constexpr int kWide = 1 << 8;
  if (duration > -kLong && duration < kLong && seats >= 0 && seats < kWide) [[likely]] {
    const std::int64_t product = seats * duration;
    return static_cast<SeatSeconds>((product + (product < 0 ? -5 : 5)) / 10);
  }
  return work_of(static_cast<double>(seats), duration);
}

inline constexpr Nanos kGuess = 3 * kMillisecond;  // the execution time that any request is expected to take

inline SeatSeconds total_work_of(const WorkEstimate& work) {
  SeatSeconds total = work_of(work.initial_seats, kGuess);
  if (work.additional_latency != 0) total += work_of(work.final_seats, work.additional_latency);
  return total;
}

}  // namespace apf
