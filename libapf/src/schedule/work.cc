// Work in seat-seconds and back (k8s.io/apiserver/pkg/util/flowcontrol/request/seat_seconds.go, v1.36).
#include "schedule/work.h"

#include <fmt/core.h>

namespace apf {

SeatSeconds seats_times_duration(double seats, Nanos duration) { return work_of(seats, duration); }

Nanos duration_per_seat(SeatSeconds work, double seats) {
  const double nanos = static_cast<double>(work) / seats * 10.0;
  if (std::fabs(nanos) < 0x1p63) return static_cast<Nanos>(nanos);
  return std::numeric_limits<Nanos>::min();  // also for 0 seats: what Go's conversion gives on amd64
}

std::string format_seat_seconds(SeatSeconds work) {
  constexpr SeatSeconds kUnits = 100'000'000;
  return fmt::format("{}.{:08}ss", work / kUnits, work % kUnits);
}

}  // namespace apf
