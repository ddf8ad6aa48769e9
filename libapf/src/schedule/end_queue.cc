#include "schedule/end_queue.h"

#include <algorithm>

namespace apf {

void EndQueue::insert(std::int64_t slot, TimedEvent event) {
  std::uint32_t at = free_;
  if (at == kNone) {
    at = static_cast<std::uint32_t>(links_.size());
    links_.emplace_back();
  } else {
    free_ = links_[at].next;
  }
  const std::size_t place = place_of(slot);
  links_[at].event = event;
  links_[at].next = heads_[place];
  heads_[place] = at;
  held_[place / 64] |= std::uint64_t{1} << place % 64;
  ++in_ring_;
}

std::int64_t EndQueue::next_in_ring() const {
  const std::size_t from = place_of(current_ + 1);
  std::size_t word = from / 64;
  std::uint64_t bits = held_[word] & ~std::uint64_t{0} << from % 64;
  while (bits == 0) bits = held_[word = (word + 1) % held_.size()];
  const std::size_t place = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
  return current_ + 1 + static_cast<std::int64_t>((place - from) % kSlots);
}

void EndQueue::advance() {
  if (in_ring_ == 0 && far_.empty()) return;
  const std::int64_t ring = in_ring_ > 0 ? next_in_ring() : INT64_MAX;
  const std::int64_t far = far_.empty() ? INT64_MAX : slot_of(far_.top());
  current_ = std::min(ring, far);
  for (; !far_.empty() && slot_of(far_.top()) == current_; far_.pop()) near_.push(far_.top());
  if (ring != current_) return;
  const std::size_t place = place_of(current_);
  std::uint32_t at = heads_[place];
  heads_[place] = kNone;
  while (at != kNone) {
    Link& link = links_[at];
    const std::uint32_t next = link.next;
    near_.push(link.event);
    link.next = free_;
    free_ = at;
    at = next;
    --in_ring_;
  }
  held_[place / 64] &= ~(std::uint64_t{1} << place % 64);
}

}  // namespace apf
