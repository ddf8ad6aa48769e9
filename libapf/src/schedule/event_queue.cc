// Lanes of wait deadlines.
#include "schedule/event_queue.h"

namespace apf {

void DeadlineQueue::Lane::push(const Deadline& deadline) {
  if (count_ == ring_.size()) {
    std::vector<Deadline> larger(ring_.empty() ? 64 : ring_.size() * 2);
    for (std::size_t i = 0; i < count_; ++i) larger[i] = ring_[(first_ + i) & (ring_.size() - 1)];
    ring_.swap(larger);
    first_ = 0;
  }
  ring_[(first_ + count_) & (ring_.size() - 1)] = deadline;
  ++count_;
}

void DeadlineQueue::push(const Deadline& deadline) {
  // The lane whose end is nearest before it, so that lanes of other wait limits stay usable; else an empty lane.
  int best = -1, empty = -1;
  for (std::size_t i = 0; i < kLanes; ++i) {
    const Lane& lane = lanes_[i];
    if (lane.empty()) {
      if (empty < 0) empty = static_cast<int>(i);
    } else if (lane.back().time <= deadline.time && (best < 0 || lane.back().time > lanes_[best].back().time)) {
      best = static_cast<int>(i);
    }
  }
  const int lane = best >= 0 ? best : empty;
  if (lane >= 0) {
    lanes_[lane].push(deadline);
  } else {
    rest_.push(deadline);
  }
  ++size_;
  if (deadline.time < next_time_) {
    next_time_ = deadline.time;
    next_lane_ = lane;
  }
}

Deadline DeadlineQueue::pop() {
  assert(size_ > 0);
  Deadline result;
  if (next_lane_ >= 0) {
    result = lanes_[next_lane_].front();
    lanes_[next_lane_].pop();
  } else {
    result = rest_.top();
    rest_.pop();
  }
  --size_;
  find_next();
  return result;
}

// The first deadline by (time, order) among the fronts.
void DeadlineQueue::find_next() {
  next_time_ = rest_.next_time();
  next_lane_ = -1;
  std::uint64_t order = rest_.empty() ? UINT64_MAX : rest_.top().order;
  for (std::size_t i = 0; i < kLanes; ++i) {
    if (lanes_[i].empty()) continue;
    const Deadline& front = lanes_[i].front();
    if (front.time < next_time_ || (front.time == next_time_ && front.order < order)) {
      next_time_ = front.time;
      order = front.order;
      next_lane_ = static_cast<int>(i);
    }
  }
}

void DeadlineQueue::recount() {
  size_ = rest_.size();
  for (const Lane& lane : lanes_) size_ += lane.size();
  stale_ = 0;
  find_next();
}

}  // namespace apf
