// Counting refusals by second.
#include "schedule/retry_after.h"

#include <algorithm>

namespace apf {

namespace {

std::int64_t second_of(Nanos time) { return time / kSecond - (time % kSecond < 0 ? 1 : 0); }

std::size_t slot_of(std::int64_t second, std::size_t size) {
  const auto n = static_cast<std::int64_t>(size);
  return static_cast<std::size_t>((second % n + n) % n);
}

}  // namespace

// Drops of the last seconds_ seconds before `second`, itself excluded.
std::int64_t RetryAfter::drops_before(std::int64_t second) const {
  std::int64_t sum = 0;
  for (std::int64_t s = second - seconds_; s < second; ++s) {
    const Drops& d = drops_[slot_of(s, drops_.size())];
    if (d.second == s) sum += d.count;
  }
  return sum;
}

int RetryAfter::refuse(Nanos now) {
  if (!grows_) return 1;
  const std::int64_t second = second_of(now);
  Drops& drops = drops_[slot_of(second, drops_.size())];
  if (second == current_second_) {
    ++drops.count;
    return seconds_;
  }
  // The first refusal of a second judges the seconds before it.
  const std::int64_t before = drops_before(second);
  current_second_ = second;
  drops = {second, 1};
  const bool may_increase = increased_at_ == INT64_MIN || second - increased_at_ >= seconds_;
  if (may_increase && before >= 3 * seconds_) {
    seconds_ = std::min(seconds_ * 2, kMost);
    increased_at_ = second;
  } else if (before < seconds_ && seconds_ > 1) {
    --seconds_;
  }
  return seconds_;
}

}  // namespace apf
