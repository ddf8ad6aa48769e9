#include "logs/recent_ends.h"

#include <algorithm>

namespace apf {

bool RecentEnds::seen(std::uint64_t end, bool goes_back) {
  Set& set = near_[end >> 1 & (kSets - 1)];
  if (std::find(set.begin(), set.end(), end) != set.end()) return true;
  if (goes_back && knows(end)) return true;
  std::copy_backward(set.begin(), set.end() - 1, set.end());
  set.front() = end;
  keep(end);
  return false;
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
