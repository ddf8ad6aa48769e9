// Puts items back into order of time within a bounded window: what is at most `window` late, and among the last
// `limit` items, comes out sorted by (time, order of arrival here). O(1) an item while items are spread over the
// window; memory is bounded by `limit`.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include <apf/time.h>

namespace apf {

template <class Item>
class Reorder {
 public:
  Reorder(Nanos window, std::size_t limit)
      : window_(std::clamp<Nanos>(window, 0, kLongestWindow)),
        limit_(std::max<std::size_t>(limit, 1)),
        slot_bits_(std::max(20, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(window_) / (kSlots / 2))))),
        slots_(kSlots, kNone) {}

  // False when `time` lies before what has already been handed out: the item then comes out next, at
  // the earliest time still possible. `emit(time, item)` is called for every item that is due. Of items of one
  // instant, those pushed with `ahead` come first.
  template <class Emit>
  bool push(Nanos time, Item item, Emit&& emit, bool ahead = false) {
    const std::int64_t slot = slot_of(time);
    if (!started_) {
      started_ = true;
      // Room for those that arrived earlier but stand later in the log.
      first_ = slot - slot_of(window_) - 1;
      last_ = slot;
    }
    bool in_time = slot >= first_;
    if (slot >= first_ + static_cast<std::int64_t>(kSlots)) flush_before(slot - static_cast<std::int64_t>(kSlots) + 1, emit);
    const std::int64_t into = std::max(slot, first_);
    last_ = std::max(last_, into);
    insert(into, time, std::move(item), ahead);
    if (held_ > limit_) flush_one(emit);
    return in_time;
  }

  // Items before `time` are complete: nothing earlier will come.
  template <class Emit>
  void advance(Nanos time, Emit&& emit) {
    if (started_) flush_before(slot_of(time - window_), emit);
  }

  template <class Emit>
  void finish(Emit&& emit) {
    if (started_) flush_before(last_ + 1, emit);
  }

  std::size_t held() const { return held_; }

 private:
  static constexpr std::size_t kSlots = 1u << 14;
  static constexpr Nanos kLongestWindow = 86400 * kSecond;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Node {
    Nanos time;
    std::uint64_t order;
    std::uint32_t next;
    Item item;
  };
  struct Key {
    Nanos time;
    std::uint64_t order;
    std::uint32_t node;
  };

  std::int64_t slot_of(Nanos time) const { return time >> slot_bits_; }
  std::uint32_t& head(std::int64_t slot) { return slots_[static_cast<std::uint64_t>(slot) & (kSlots - 1)]; }

  void insert(std::int64_t slot, Nanos time, Item item, bool ahead) {
    const std::uint64_t order = order_++ | (ahead ? 0 : std::uint64_t{1} << 63);
    std::uint32_t at = free_;
    if (at == kNone) {
      at = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({time, order, head(slot), std::move(item)});
    } else {
      free_ = nodes_[at].next;
      nodes_[at] = {time, order, head(slot), std::move(item)};
    }
    head(slot) = at;
    ++held_;
  }

  template <class Emit>
  void flush_before(std::int64_t slot, Emit& emit) {
    while (first_ < slot) {
      if (held_ == 0) {
        first_ = slot;
        return;
      }
      flush_slot(emit);
    }
  }

  template <class Emit>
  void flush_one(Emit& emit) {
    while (head(first_) == kNone) ++first_;
    flush_slot(emit);
  }

  template <class Emit>
  void flush_slot(Emit& emit) {
    due_.clear();
    for (std::uint32_t at = head(first_); at != kNone; at = nodes_[at].next)
      due_.push_back({nodes_[at].time, nodes_[at].order, at});
    head(first_) = kNone;
    ++first_;
    std::sort(due_.begin(), due_.end(),
              [](const Key& a, const Key& b) { return a.time != b.time ? a.time < b.time : a.order < b.order; });
    for (const Key& key : due_) {
      now_ = std::max(now_, key.time);
      emit(now_, nodes_[key.node].item);
      nodes_[key.node].next = free_;
      free_ = key.node;
    }
    held_ -= due_.size();
  }

  const Nanos window_;
  const std::size_t limit_;
  const int slot_bits_;  // a slot is at least a millisecond; the window takes at most half the ring
  std::vector<std::uint32_t> slots_;  // newest node of each slot, a ring over time
  std::vector<Node> nodes_;
  std::vector<Key> due_;
  std::uint32_t free_ = kNone;
  std::size_t held_ = 0;
  std::int64_t first_ = 0, last_ = 0;  // slots: all before first_ are handed out
  std::uint64_t order_ = 0;
  Nanos now_ = INT64_MIN;
  bool started_ = false;
};

}  // namespace apf
