#include "replay/passes/shaken_pass.h"

#include <algorithm>

#include "base/scatter.h"

namespace apf {

// The end of a watch comes after its begin, however that was moved.
void ShakenPass::shake(KeptLog::Item& item) const {
  if (item.joined.kind != JoinedEvent::Kind::request) {
    item.now += most_;
    return;
  }
  // Other numbers than those of executions.
  const Nanos by = static_cast<Nanos>(scattered(~seed_, number_) % static_cast<std::uint64_t>(2 * most_ + 1)) - most_;
  item.now = std::max(log_.log().first_arrival(), item.now + by);
  item.joined.event.received = item.now;
}

bool ShakenPass::next(KeptLog::Item& item) {
  if (most_ <= 0) return log_.next(item);
  // Nothing that is still to be read comes earlier than that.
  while (!ended_ && (held_.empty() || held_.top().time > read_until_ - most_)) {
    std::size_t place = items_.size();
    if (free_.empty()) {
      items_.emplace_back();
    } else {
      place = free_.back();
      free_.pop_back();
    }
    KeptLog::Item& read = items_[place];
    if (!log_.next(read)) {
      ended_ = true;
      break;
    }
    read_until_ = std::max(read_until_, read.now);
    shake(read);
    held_.push({read.now, number_++, place});
  }
  if (held_.empty()) return false;
  const Held first = held_.top();
  held_.pop();
  free_.push_back(first.place);
  item = std::move(items_[first.place]);
  item.now = first.time;
  return true;
}

}  // namespace apf
