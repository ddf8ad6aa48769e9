#include "summary/refusal_bursts.h"

#include <algorithm>

namespace apf {

void RefusalBursts::add(Nanos arrival) {
  const Nanos second = arrival / kSecond, minute = second / 60;
  if (arrival < 0) return;  // of no server
  Second& of = seconds_[static_cast<std::size_t>(second % 60)];
  ++refused_;
  ++of.refused;
  of.minutes += of.last_minute != minute;
  of.last_minute = minute;
}

std::optional<MinuteBursts> RefusalBursts::find() const {
  constexpr std::size_t kLongest = 5, kLeast = 20, kMinutes = 3;
  if (refused_ < kLeast) return std::nullopt;
  for (std::size_t width = 1; width <= kLongest; ++width)
    for (std::size_t from = 0; from < seconds_.size(); ++from) {
      MinuteBursts out;
      out.from = static_cast<int>(from);
      out.to = static_cast<int>((from + width - 1) % seconds_.size());
      for (std::size_t i = 0; i < width; ++i) {
        const Second& of = seconds_[(from + i) % seconds_.size()];
        out.refused += of.refused;
        out.minutes = std::max(out.minutes, of.minutes);
      }
      if (out.refused * 10 >= refused_ * 9 && out.minutes >= kMinutes) return out;
    }
  return std::nullopt;
}

}  // namespace apf
