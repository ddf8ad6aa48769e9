#include "schedule/queue_table.h"

#include <cassert>
#include <numeric>
#include <utility>

namespace apf {

void QueueTable::begin() {
  queues_ = ZeroedArray<Queue>(static_cast<std::size_t>(count_));
  waiting_work_ = ZeroedArray<SeatSeconds>(static_cast<std::size_t>(count_));
  tree_.reset(count_);
}

std::uint32_t QueueTable::least_work(std::span<const std::uint32_t> hand, std::size_t first) const {
  assert(!hand.empty());
  std::uint32_t best = hand[first];
  SeatSeconds least = waiting_work_[best];
  const auto consider = [&](std::uint32_t index) {
    if (waiting_work_[index] < least) {
      least = waiting_work_[index];
      best = index;
    }
  };
  for (std::size_t i = first + 1; i < hand.size(); ++i) consider(hand[i]);
  for (std::size_t i = 0; i < first; ++i) consider(hand[i]);
  return best;
}

void QueueTable::add(int more, const RequestTable& requests) {
  const int before = std::exchange(count_, count_ + more);
  if (!begun()) return;
  ZeroedArray<SeatSeconds> work(static_cast<std::size_t>(count_));
  std::copy(waiting_work_.begin(), waiting_work_.begin() + before, work.begin());
  waiting_work_ = std::move(work);
  std::size_t fresh = queues_.size();  // slots that were never used
  if (!slots_.empty() || !free_slots_.empty()) {
    for (int i = 0; i < more; ++i) {
      if (free_slots_.empty()) {
        slots_.push_back(static_cast<std::uint32_t>(fresh++));
      } else {
        queues_[free_slots_.back()] = Queue{};
        slots_.push_back(free_slots_.back());
        free_slots_.pop_back();
      }
    }
  } else {
    fresh += static_cast<std::size_t>(more);
  }
  ZeroedArray<Queue> larger(fresh);
  std::copy(queues_.begin(), queues_.end(), larger.begin());
  queues_ = std::move(larger);
  rebuild_tree(requests);
}

int QueueTable::remove(std::uint32_t slot, const RequestTable& requests) {
  if (slots_.empty()) {
    slots_.resize(static_cast<std::size_t>(count_));
    std::iota(slots_.begin(), slots_.end(), std::uint32_t{0});
  }
  const int index = queues_[slot].index;
  slots_.erase(slots_.begin() + index);
  std::copy(waiting_work_.begin() + index + 1, waiting_work_.begin() + count_, waiting_work_.begin() + index);
  waiting_work_[static_cast<std::size_t>(--count_)] = 0;
  free_slots_.push_back(slot);
  for (int i = index; i < count_; ++i) queues_[slots_[static_cast<std::size_t>(i)]].index = i;
  rebuild_tree(requests);
  return index;
}

void QueueTable::rebuild_tree(const RequestTable& requests) {
  tree_.reset(count_);
  for (int i = 0; i < count_; ++i) {
    const Queue& queue = at_index(static_cast<std::size_t>(i));
    if (queue.oldest != RequestTable::kNone) tree_.set(i, queue.next_dispatch_r + requests[queue.oldest].total_work);
  }
}

}  // namespace apf
