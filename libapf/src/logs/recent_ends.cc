#include "logs/recent_ends.h"

#include <algorithm>

namespace apf {

RecentEnds::Seen RecentEnds::seen(std::uint64_t end, bool goes_back) {
  Set& set = near_[end >> kTimeBits & (kSets - 1)];
  Seen out = Seen::no;
  for (const std::uint64_t other : set) {
    if ((other ^ end) >> kTimeBits != 0) continue;
    if (other == end) return Seen::yes;
    out = Seen::id;
  }
  if (goes_back && knows(end)) return Seen::yes;
  std::copy_backward(set.begin(), set.end() - 1, set.end());
  set.front() = end;
  keep(end);
  return out;
}

bool RecentEnds::knows(std::uint64_t end) {
  if (!looks_back_) all_.insert(kept_.begin(), kept_.end());
  looks_back_ = true;
  return all_.contains(end);
}

void RecentEnds::keep(std::uint64_t end) {
  if (kept_.size() < kKept) {
    kept_.push_back(end);
  } else {
    if (looks_back_) all_.erase(kept_[oldest_]);
    kept_[oldest_] = end;
    oldest_ = (oldest_ + 1) % kKept;
  }
  if (looks_back_) all_.insert(end);
}

}  // namespace apf
