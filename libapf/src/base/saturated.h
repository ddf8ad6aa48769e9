// Numbers of other programs' texts as whole numbers, and their sums: what does not fit becomes the nearest that does,
// NaN 0.
#pragma once

#include <cstdint>

#include <apf/time.h>

namespace apf {

template <class Whole>
constexpr Whole saturated(double number, Whole most) {
  if (!(number > 0)) return 0;
  return number >= static_cast<double>(most) ? most : static_cast<Whole>(number);
}

// Seconds, up to the latest time that a log may have.
constexpr Nanos nanos_of(double seconds) { return saturated(seconds * 1e9, kLatestTime); }

// Of durations that are not negative.
constexpr Nanos saturated_sum(Nanos a, Nanos b) {
  Nanos sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

}  // namespace apf
