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
  quiet_ = 0;
  if (++questions_ <= kFewQuestions) return std::find(kept_.begin(), kept_.end(), end) != kept_.end();
  if (table_.empty()) {
    table_.assign(kTable, 0);
    entered_ = 0;
    for (const std::uint64_t kept : kept_) enter(kept);
  }
  for (std::size_t at = place_of(end); table_[at] != 0; at = (at + 1) % kTable)
    if (table_[at] == end) return true;
  return false;
}

void RecentEnds::enter(std::uint64_t end) {
  std::size_t at = place_of(end);
  while (table_[at] != 0) at = (at + 1) % kTable;
  table_[at] = end;
  ++entered_;
}

void RecentEnds::keep(std::uint64_t end) {
  if (kept_.size() < kKept) {
    kept_.push_back(end);
  } else {
    kept_[oldest_] = end;
    oldest_ = (oldest_ + 1) % kKept;
  }
  if (questions_ == 0) return;
  if (++quiet_ == kQuiet || entered_ + kKept / 2 >= kTable) {  // it is made anew when somebody asks again
    questions_ = quiet_ < kQuiet ? kFewQuestions : 0;
    table_.clear();
    entered_ = 0;
    return;
  }
  if (!table_.empty()) enter(end);
}

}  // namespace apf
