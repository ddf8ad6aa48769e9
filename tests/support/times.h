// When the logs of tests begin.
#pragma once

#include <apf/time.h>

namespace apf::test {

inline constexpr Nanos kNoon = 1'795'176'000 * kSecond;        // 2026-11-20T12:00:00Z
inline constexpr Nanos kTraceStart = 1'700'000'000 * kSecond;  // of logs that have their times as numbers

}  // namespace apf::test
