// Instants and durations as integer nanoseconds, and their text forms (Go durations, RFC 3339).
//
//   const std::optional<apf::Nanos> wait = apf::parse_go_duration("1m2.5s");
//   if (wait) std::puts(apf::format_go_duration(*wait + 500 * apf::kMillisecond).c_str());  // 1m3s
//   const std::optional<apf::Nanos> noon = apf::parse_rfc3339("2026-11-20T12:00:00Z");
//
// Text that cannot be parsed gives nothing. The functions keep no state: several threads may call them at once. The
// library itself never asks for the time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <apf/version.h>

namespace apf {

// Nanoseconds: of a duration, or since 1970-01-01T00:00:00Z (or since the start of a scenario).
using Nanos = std::int64_t;

inline constexpr Nanos kMicrosecond = 1000;
inline constexpr Nanos kMillisecond = 1000 * kMicrosecond;
inline constexpr Nanos kSecond = 1000 * kMillisecond;

// What a log or a flag may say: 1970 to 2200, and ten years. Readers refuse all else, so that sums and differences of a
// few times and durations do not overflow.
inline constexpr Nanos kEarliestTime = 0;
inline constexpr Nanos kLatestTime = 7'258'118'400 * kSecond;        // 2200-01-01T00:00:00Z
inline constexpr Nanos kLongestDuration = 3'653 * 86'400 * kSecond;  // in either direction

constexpr bool is_time_in_range(Nanos time) { return time >= kEarliestTime && time <= kLatestTime; }
constexpr bool is_duration_in_range(Nanos d) { return d >= -kLongestDuration && d <= kLongestDuration; }

// A replay may go on after its log. Its clock stops in 2255: what would happen later happens then.
inline constexpr Nanos kEndOfTime = 9'000'000'000 * kSecond;

// `time` moved by a duration, which may be negative. The sum stays within kEndOfTime before and after 1970.
constexpr Nanos later(Nanos time, Nanos by) {
  Nanos sum = 0;
  if (__builtin_add_overflow(time, by, &sum)) return by > 0 ? kEndOfTime : -kEndOfTime;
  return sum > kEndOfTime ? kEndOfTime : sum < -kEndOfTime ? -kEndOfTime : sum;
}

// A Go duration ("1.5s", "532.1ms", "1m2.3s", "-3µs", "0"); nothing if it is none or overflows.
APF_API std::optional<Nanos> parse_go_duration(std::string_view text);

// As Go's Duration.String prints it: "1.5s", "532.1ms", "1m2.3s", "0s".
APF_API std::string format_go_duration(Nanos duration);

// RFC 3339 with up to 9 decimals and any offset; nothing if it is none. Years 1678 to 2261.
// A leap second (:60) reads as the following second.
APF_API std::optional<Nanos> parse_rfc3339(std::string_view text);

// In UTC, with as many decimals (none, 3, 6 or 9) as the value needs: 2026-11-20T12:00:00.000123Z.
APF_API std::string format_rfc3339(Nanos time);

// A day of the calendar as 2026-11-20.
APF_API bool is_calendar_date(std::string_view text);

}  // namespace apf
