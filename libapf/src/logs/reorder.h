// Puts items back into order of time within a bounded window: what is at most `window` late, and among the last
// `limit` items, comes out sorted by (time, Tie, order of arrival here). O(1) an item while items are spread over the
// window; memory is bounded by `limit`.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <apf/time.h>

#include "base/pool.h"
#include "base/prefetch.h"
#include "base/zeroed_array.h"

namespace apf {

struct NoTie {
  template <class Item>
  bool operator()(const Item&, const Item&) const {
    return false;
  }
};

// An item is small: what is large is held by its address, and comes from memory shortly before it is due. `Tie`: of two
// items of one instant, whether the first comes first whatever the order in which they were pushed; a strict weak
// order.
template <class Item, class Tie = NoTie>
class Reorder {
  static_assert(sizeof(Item) <= sizeof(void*) && std::is_trivially_copyable_v<Item>);

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
  bool push(Nanos time, Item item, Emit&& emit, bool ahead = false) {
    const std::int64_t slot = slot_of(time);
    if (!started_) {
      started_ = true;
      // Room for those that arrived earlier but come later in the log.
      first_ = fetched_ = slot - slot_of(window_) - 1;
      last_ = slot;
    }
    const bool in_time = slot >= first_;
    if (slot >= first_ + static_cast<std::int64_t>(kSlots))
      flush_before(slot - static_cast<std::int64_t>(kSlots) + 1, emit);
    const std::int64_t into = std::max(slot, first_);
    last_ = std::max(last_, into);
    insert(into, time, item, ahead);
    if (held_ > limit_) flush_slot(emit);
    return in_time;
  }

  // An item of that time is about to be pushed.
  [[gnu::always_inline]] void fetch(Nanos time) const { prefetch(slots_[place_of(slot_of(time))]); }

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

  // The first item that `is_meant` of those of the times from `from` to `to`, as far as they are held and a look at the
  // first few thousand goes; an empty one: there is none.
  template <class IsMeant>
  Item find(Nanos from, Nanos to, IsMeant&& is_meant) {
    constexpr std::size_t kMost = 4096;
    std::size_t looked = 0;
    const std::int64_t end = std::min(slot_of(to), last_);
    for (std::int64_t slot = std::max(slot_of(from), first_); held_ > 0 && slot <= end && looked < kMost; ++slot) {
      slot = next_held(slot);
      if (slot > end) break;
      for (std::uint32_t number = head(slot); number != 0; number = blocks_.at(number).next) {
        const Block& block = blocks_.at(number);
        looked += block.count;
        for (std::uint32_t i = 0; i < block.count; ++i)
          if (is_meant(block.places[i].item)) return block.places[i].item;
      }
    }
    return Item();
  }

 private:
  static constexpr std::size_t kSlots = 1u << 17;
  static constexpr Nanos kLongestWindow = 86400 * kSecond;

  static constexpr std::uint64_t kNotAhead = std::uint64_t{1} << 63;
  struct Place {
    Nanos time;
    std::uint64_t order;
    Item item;
    bool operator<(const Place& o) const {
      if (time != o.time) return time < o.time;
      if (((order ^ o.order) & kNotAhead) != 0) return order < o.order;
      if (Tie()(item, o.item)) return true;
      return !Tie()(o.item, item) && order < o.order;
    }
  };
  static constexpr std::uint32_t kPlaces = 2;
  struct alignas(64) Block {
    Place places[kPlaces];
    std::uint32_t count = 0;
    std::uint32_t next = 0;  // the slot's block before, which is full; 0: none
  };
  static_assert(sizeof(Block) == 64);

  // Items that are on their way from memory, at least, if there are so many.
  static constexpr std::size_t kAhead = 4;
  std::int64_t slot_of(Nanos time) const { return time >> slot_bits_; }
  static std::size_t place_of(std::int64_t slot) { return static_cast<std::uint64_t>(slot) & (kSlots - 1); }
  std::uint32_t& head(std::int64_t slot) { return slots_[place_of(slot)]; }

  // A bit for each slot of the ring.
  class Bits {
   public:
    void set(std::size_t place) { words_[place / 64] |= std::uint64_t{1} << place % 64; }
    void clear(std::size_t place) { words_[place / 64] &= ~(std::uint64_t{1} << place % 64); }
    // The first one from `place` on, around; there is one.
    std::size_t next(std::size_t place) const {
      std::size_t word = place / 64;
      std::uint64_t bits = words_[word] & ~std::uint64_t{0} << place % 64;
      while (bits == 0) bits = words_[word = (word + 1) % words_.size()];
      return word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    }

   private:
    std::array<std::uint64_t, kSlots / 64> words_{};
  };

  // The first slot from `from` on that holds anything. There is one: `from` is not behind last_.
  std::int64_t next_held(std::int64_t from) const {
    return from + static_cast<std::int64_t>((filled_.next(place_of(from)) - place_of(from)) & (kSlots - 1));
  }

  void insert(std::int64_t slot, Nanos time, Item item, bool ahead) {
    next_ = held_++ == 0 ? slot : std::min(next_, slot);
    filled_.set(place_of(slot));
    std::uint32_t& newest = head(slot);
    if (newest == 0 || blocks_.at(newest).count == kPlaces) {
      const std::uint32_t number = blocks_.add();
      Block& block = blocks_.at(number);
      block.count = 0;
      block.next = std::exchange(newest, number);
    }
    Block& block = blocks_.at(newest);
    block.places[block.count++] = {time, ++order_ | (ahead ? 0 : kNotAhead), item};
  }

  template <class Emit>
  void flush_before(std::int64_t slot, Emit& emit) {
    while (held_ > 0 && next_ < slot) flush_slot(emit);
    first_ = std::max(first_, slot);
  }

  // The places of a slot in order; it has none then.
  void take_out(std::int64_t slot) {
    filled_.clear(place_of(slot));
    due_.clear();
    std::uint32_t& newest = head(slot);
    while (newest != 0) {
      const Block& block = blocks_.at(newest);
      for (std::uint32_t i = 0; i < block.count; ++i) due_.push_back(block.places[i]);  // one, as a rule
      blocks_.drop(std::exchange(newest, block.next));
    }
    if (due_.size() > 1) std::sort(due_.begin(), due_.end());
  }

  template <class Emit>
  void flush_slot(Emit& emit) {
    take_out(next_);
    first_ = next_ + 1;
    held_ -= due_.size();
    if (held_ > 0) next_ = next_held(first_);
    coming_ -= std::min(coming_, due_.size());
    fetch_ahead();
    for (const Place& place : due_) {
      now_ = std::max(now_, place.time);
      emit(now_, place.item);
    }
  }

  void fetch_ahead() {
    fetched_ = std::max(fetched_, first_);
    while (coming_ < kAhead && fetched_ <= last_) {
      const std::int64_t slot = next_held(fetched_);
      fetched_ = slot + 1;
      for (std::uint32_t number = head(slot); number != 0; number = blocks_.at(number).next) {
        const Block& block = blocks_.at(number);
        for (std::uint32_t i = 0; i < block.count; ++i) fetch(block.places[i].item);
      }
    }
    if (fetched_ <= last_) prefetch(blocks_.at(head(next_held(fetched_))));
  }
  void fetch(Item item) {
    if constexpr (std::is_pointer_v<Item>) prefetch(*item);
    ++coming_;
  }

  const Nanos window_;
  const std::size_t limit_;
  const int slot_bits_;               // a slot is at least a millisecond; the window takes at most half the ring
  ZeroedArray<std::uint32_t> slots_;  // newest block of each slot, 0: none; a ring over time
  Bits filled_;                       // those that hold anything
  Pool<Block> blocks_;
  std::vector<Place> due_;
  std::size_t held_ = 0, coming_ = 0;  // coming_: of those held, about so many were asked for from memory
  std::int64_t first_ = 0, last_ = 0;  // slots: all before first_ are handed out
  std::int64_t next_ = 0;              // the first that holds anything, if any does
  std::int64_t fetched_ = 0;           // all before it were asked for from memory
  std::uint64_t order_ = 0;
  Nanos now_ = INT64_MIN;
  bool started_ = false;
};

}  // namespace apf
