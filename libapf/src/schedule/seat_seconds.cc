// Seat-seconds in fixed point, with the server's own rounding (fairqueuing/queueset and fcrequest.SeatSeconds, v1.36).
#include <apf/seats.h>

#include <cmath>

namespace apf {
namespace {

constexpr double kUnitsPerSeatNano = 10;  // 1e8 units a seat-second, 1e9 ns a second
constexpr std::uint64_t kUnitsPerSeatSecond = 100'000'000;

}  // namespace

SeatSeconds seats_times_duration(double seats, Nanos duration) {
  const double units = std::round(seats * static_cast<double>(duration) / kUnitsPerSeatNano);
  // A negative product wraps around 2^64; one beyond int64 is taken as unsigned.
  if (units < 9223372036854775808.0) return static_cast<SeatSeconds>(static_cast<std::int64_t>(units));
  return static_cast<SeatSeconds>(units);
}

Nanos duration_per_seat(SeatSeconds work, double seats) {
  return static_cast<Nanos>(static_cast<double>(work) / seats * kUnitsPerSeatNano);
}

std::string format_seat_seconds(SeatSeconds work) {
  std::string fraction = std::to_string(work % kUnitsPerSeatSecond);
  fraction.insert(0, 8 - fraction.size(), '0');
  return std::to_string(work / kUnitsPerSeatSecond) + '.' + fraction + "ss";
}

}  // namespace apf
