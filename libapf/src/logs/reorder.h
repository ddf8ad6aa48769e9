// Puts items back into order of time within a bounded window: what is at most `window` late, and among the last
// `limit` items, comes out sorted by (time, order of arrival here). O(1) an item while items are spread over the
// window; memory is bounded by `limit`.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include <apf/time.h>

#include "base/large_pages.h"
#include "base/pool.h"
#include "base/prefetch.h"
#include "base/zeroed_array.h"

namespace apf {

template <class Item>
class Reorder {
 public:
  Reorder(Nanos window, std::size_t limit)
      : window_(std::clamp<Nanos>(window, 0, kLongestWindow)),
        limit_(std::max<std::size_t>(limit, 1)),
        slot_bits_(std::max(20, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(window_) / (kSlots / 2))))),
        slots_(kSlots) {}

  // False when `time` lies before what has already been handed out: the item then comes out next, at
  // the earliest time still possible. `emit(time, item)` is called for every item that is due. Of items of one
  // instant, those pushed with `ahead` come first.
  template <class Emit>
  bool push(Nanos time, const Item& item, Emit&& emit, bool ahead = false) {
    return make(
        time, [&](Item& place) { place = item; }, emit, ahead);
  }
  // The same with fill(item), which sets all of an item that may hold an old one's values.
  template <class Fill, class Emit>
  bool make(Nanos time, Fill&& fill, Emit&& emit, bool ahead = false) {
    const std::int64_t slot = slot_of(time);
    if (!started_) {
      started_ = true;
      // Room for those that arrived earlier but come later in the log.
      first_ = slot - slot_of(window_) - 1;
      last_ = slot;
    }
    bool in_time = slot >= first_;
    if (slot >= first_ + static_cast<std::int64_t>(kSlots))
      flush_before(slot - static_cast<std::int64_t>(kSlots) + 1, emit);
    const std::int64_t into = std::max(slot, first_);
    last_ = std::max(last_, into);
    fill(insert(into, time, ahead));
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
  static constexpr std::size_t kSlots = 1u << 17;
  static constexpr Nanos kLongestWindow = 86400 * kSecond;

  // Items are large, and cold by the time they are due: what puts them into order is kept apart from them, a slot's
  // places side by side.
  struct Place {
    Nanos time;
    std::uint64_t order;
    std::uint32_t at;
    bool operator<(const Place& o) const { return time != o.time ? time < o.time : order < o.order; }
  };
  static constexpr std::uint32_t kPlaces = 5;
  struct alignas(128) Block {
    Place places[kPlaces];
    std::uint32_t count = 0;
    std::uint32_t next = 0;  // the slot's block before, which is full; 0: none
  };
  static_assert(sizeof(Block) == 128);

  static constexpr std::uint32_t kChunk = 8192;
  static constexpr std::int64_t kAhead = 3;  // the items of so many slots are on their way from memory
  Item& item(std::uint32_t at) { return chunks_[at / kChunk][at % kChunk]; }
  std::int64_t slot_of(Nanos time) const { return time >> slot_bits_; }
  std::uint32_t& head(std::int64_t slot) { return slots_[static_cast<std::uint64_t>(slot) & (kSlots - 1)]; }

  // With room for one more place.
  Block& block_for(std::uint32_t& head) {
    if (head != 0 && blocks_.at(head).count < kPlaces) return blocks_.at(head);
    const std::uint32_t number = blocks_.add();
    Block& block = blocks_.at(number);
    block.count = 0;
    block.next = std::exchange(head, number);
    return block;
  }

  Item& insert(std::int64_t slot, Nanos time, bool ahead) {
    if (free_.empty()) {
      if (items_ % kChunk == 0) chunks_.emplace_back(kChunk);
      free_.push_back(items_++);
    }
    const std::uint32_t at = free_.back();  // what was used last is still near
    free_.pop_back();
    Block& block = block_for(head(slot));
    block.places[block.count++] = {time, order_++ | (ahead ? 0 : std::uint64_t{1} << 63), at};
    ++held_;
    return item(at);
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
    while (head(first_) == 0) ++first_;
    flush_slot(emit);
  }

  // The places of a slot in order; it has none then.
  void take_out(std::uint32_t& head) {
    due_.clear();
    while (head != 0) {
      const Block& block = blocks_.at(head);
      for (std::uint32_t i = 0; i < block.count; ++i) due_.push_back(block.places[i]);  // one, as a rule
      blocks_.drop(std::exchange(head, block.next));
    }
    if (due_.size() > 1) std::sort(due_.begin(), due_.end());
  }

  template <class Emit>
  void flush_slot(Emit& emit) {
    take_out(head(first_++));
    if (const std::uint32_t far = head(first_ + 2 * kAhead); far != 0) prefetch(blocks_.at(far));
    std::uint32_t soon = head(first_ + kAhead), fetched = 0;
    const auto fetch_one = [&] {
      const Block& block = blocks_.at(soon);
      prefetch(item(block.places[fetched].at));
      if (++fetched == block.count) soon = block.next, fetched = 0;
    };
    for (const Place& place : due_) {
      if (soon != 0) fetch_one();  // one by one: memory takes so many at a time
      now_ = std::max(now_, place.time);
      emit(now_, item(place.at));
      free_.push_back(place.at);
    }
    held_ -= due_.size();
    while (soon != 0) fetch_one();
  }

  const Nanos window_;
  const std::size_t limit_;
  const int slot_bits_;               // a slot is at least a millisecond; the window takes at most half the ring
  ZeroedArray<std::uint32_t> slots_;  // newest block of each slot, 0: none; a ring over time
  Pool<Block> blocks_;
  std::vector<std::vector<Item, LargePages<Item>>> chunks_;  // they stay where they are while their number grows
  std::vector<std::uint32_t> free_;
  std::vector<Place> due_;
  std::uint32_t items_ = 0;  // places for them
  std::size_t held_ = 0;
  std::int64_t first_ = 0, last_ = 0;  // slots: all before first_ are handed out
  std::uint64_t order_ = 0;
  Nanos now_ = INT64_MIN;
  bool started_ = false;
};

}  // namespace apf
