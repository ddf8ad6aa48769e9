#include "summary/refusal_bursts.h"

#include <algorithm>

namespace apf {

void RefusalBursts::add(Nanos arrival) {
  if (arrival < 0) return;  // of no server
  const Nanos second = arrival / kSecond;
  const auto of_minute = static_cast<std::size_t>(second % 60);
  ++refused_;
  ++refused_in_[of_minute];
  for (std::size_t back = 0; back < kLongest; ++back)
    for (std::size_t width = back; width < kLongest; ++width) {
      Window& of = windows_[(of_minute + kSeconds - back) % kSeconds][width];
      const Nanos begin = second - static_cast<Nanos>(back);
      of.minutes += of.begin < begin;
      of.begin = std::max(of.begin, begin);
    }
}

std::optional<MinuteBursts> RefusalBursts::find() const {
  constexpr std::size_t kLeast = 20, kMinutes = 3;
  if (refused_ < kLeast) return std::nullopt;
  for (std::size_t width = 1; width <= kLongest; ++width)
    for (std::size_t from = 0; from < kSeconds; ++from) {
      MinuteBursts out;
      out.from = static_cast<int>(from);
      out.to = static_cast<int>((from + width - 1) % kSeconds);
      for (std::size_t i = 0; i < width; ++i) out.refused += refused_in_[(from + i) % kSeconds];
      out.minutes = windows_[from][width - 1].minutes;
      if (out.refused * 10 >= refused_ * 9 && out.minutes >= kMinutes) return out;
    }
  return std::nullopt;
}

}  // namespace apf
