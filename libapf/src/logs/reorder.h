// Puts items back into order of time within a bounded window: what is at most `window` late, and among the last
// `limit` items, comes out sorted by (time, order of arrival here). O(1) an item while items are spread over the
// window; memory is bounded by `limit`.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include <apf/time.h>

#include "base/large_pages.h"
#include "base/prefetch.h"

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
  static constexpr std::size_t kSlots = 1u << 14;
  static constexpr Nanos kLongestWindow = 86400 * kSecond;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // Items are large, and cold by the time they are due: what puts them into order is kept apart from them.
  struct Link {
    Nanos time;
    std::uint64_t order;
    std::uint32_t next;
  };

  static constexpr std::uint32_t kChunk = 8192;
  static constexpr std::int64_t kAhead = 3;  // the items of so many slots are on their way from memory
  Item& item(std::uint32_t at) { return chunks_[at / kChunk][at % kChunk]; }
  std::int64_t slot_of(Nanos time) const { return time >> slot_bits_; }
  std::uint32_t& head(std::int64_t slot) { return slots_[static_cast<std::uint64_t>(slot) & (kSlots - 1)]; }

  Item& insert(std::int64_t slot, Nanos time, bool ahead) {
    std::uint32_t at = free_;
    if (at == kNone) {
      at = static_cast<std::uint32_t>(links_.size());
      links_.emplace_back();
      if (at % kChunk == 0) chunks_.emplace_back(kChunk);
    } else {
      free_ = links_[at].next;
    }
    links_[at] = {time, order_++ | (ahead ? 0 : std::uint64_t{1} << 63), head(slot)};
    head(slot) = at;
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
    while (head(first_) == kNone) ++first_;
    flush_slot(emit);
  }

  template <class Emit>
  void flush_slot(Emit& emit) {
    due_.clear();
    for (std::uint32_t at = head(first_); at != kNone; at = links_[at].next) due_.push_back(at);
    head(first_) = kNone;
    ++first_;
    const Link* const links = links_.data();
    std::sort(due_.begin(), due_.end(), [links](std::uint32_t a, std::uint32_t b) {
      return links[a].time != links[b].time ? links[a].time < links[b].time : links[a].order < links[b].order;
    });
    if (const std::uint32_t at = head(first_ + 2 * kAhead); at != kNone) prefetch(links_[at]);
    if (const std::uint32_t at = head(first_ + 2 * kAhead - 1); at != kNone && links_[at].next != kNone)
      prefetch(links_[links_[at].next]);
    std::uint32_t soon = head(first_ + kAhead);
    const auto fetch_one = [&] {
      prefetch(item(soon));
      soon = links_[soon].next;
    };
    for (const std::uint32_t at : due_) {
      if (soon != kNone) fetch_one();  // one by one: memory takes so many at a time
      now_ = std::max(now_, links_[at].time);
      emit(now_, item(at));
      links_[at].next = free_;
      free_ = at;
    }
    held_ -= due_.size();
    while (soon != kNone) fetch_one();
  }

  const Nanos window_;
  const std::size_t limit_;
  const int slot_bits_;               // a slot is at least a millisecond; the window takes at most half the ring
  std::vector<std::uint32_t> slots_;  // newest link of each slot, a ring over time
  std::vector<Link> links_;
  std::vector<std::vector<Item, LargePages<Item>>>
      chunks_;  // of each link; they stay where they are while their number grows
  std::vector<std::uint32_t> due_;
  std::uint32_t free_ = kNone;
  std::size_t held_ = 0;
  std::int64_t first_ = 0, last_ = 0;  // slots: all before first_ are handed out
  std::uint64_t order_ = 0;
  Nanos now_ = INT64_MIN;
  bool started_ = false;
};

}  // namespace apf
