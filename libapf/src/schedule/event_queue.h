// What the controller's clock runs from: ends of execution and of lingering in heaps (see EndQueue), wait deadlines in
// lanes. Both hand out events by time, and at one time in the order in which they were scheduled.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include <apf/time.h>

namespace apf {

inline constexpr Nanos kNever = INT64_MAX;

// Entries need a `time` and an `order` unique among them. Four children a node: half the levels of a binary heap.
template <typename Entry>
class TimedHeap {
 public:
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  const Entry& top() const { return entries_.front(); }
  Nanos next_time() const { return entries_.empty() ? kNever : entries_.front().time; }

  // By value: an entry that has just been put together would be read from memory while its halves are still on the way.
  void push(Entry entry) {
    entries_.push_back(entry);
    rise(entries_.size() - 1, entry);
  }

  // Removes the first entry. Its place goes down to a leaf, where the last entry mostly belongs, and with that one up
  // again: fewer comparisons than to hold the last entry against each on the way down.
  [[gnu::always_inline]] inline void pop() {
    assert(!entries_.empty());
    const Entry last = entries_.back();
    entries_.pop_back();
    const std::size_t n = entries_.size();
    if (n == 0) return;
    Entry* const e = entries_.data();
    std::size_t at = 0, child = 1;
    for (; child + 3 < n; child = at * 4 + 1) {
      const Entry* const least = earlier(earlier(e + child, e + child + 1), earlier(e + child + 2, e + child + 3));
      e[at] = *least;
      at = static_cast<std::size_t>(least - e);
    }
    if (child < n) {
      const Entry* least = e + child;
      while (++child < n) least = earlier(least, e + child);
      e[at] = *least;
      at = static_cast<std::size_t>(least - e);
    }
    rise(at, last);
  }

  // Drops the entries that `stale` says are out of date.
  template <typename Stale>
  void remove_if(Stale stale) {
    std::erase_if(entries_, stale);
    for (std::size_t i = entries_.size() / 4 + 1; i-- > 0;) {
      if (i < entries_.size()) sink(i, Entry(entries_[i]));
    }
  }

 private:
  // Time and order as one number: a comparison without a branch for equal times.
  __extension__ using Key = __int128;
  static Key key(const Entry& entry) { return Key{entry.time} << 64 | entry.order; }
  static bool before(const Entry& a, const Entry& b) { return key(a) < key(b); }
  static const Entry* earlier(const Entry* a, const Entry* b) { return before(*b, *a) ? b : a; }

  // Puts `entry` at `at` or, while it comes before the parent, above.
  void rise(std::size_t at, Entry entry) {
    Entry* const e = entries_.data();
    while (at > 0) {
      const std::size_t parent = (at - 1) / 4;
      if (!before(entry, e[parent])) break;
      e[at] = e[parent];
      at = parent;
    }
    e[at] = entry;
  }

  // Puts `entry` at `at` or, while a child comes before it, below.
  void sink(std::size_t at, const Entry& entry) {
    const std::size_t n = entries_.size();
    for (;;) {
      const std::size_t first = at * 4 + 1;
      if (first >= n) break;
      std::size_t least = first;
      const std::size_t end = first + 4 < n ? first + 4 : n;
      for (std::size_t child = first + 1; child < end; ++child) {
        if (before(entries_[child], entries_[least])) least = child;
      }
      if (!before(entries_[least], entry)) break;
      entries_[at] = entries_[least];
      at = least;
    }
    entries_[at] = entry;
  }

  std::vector<Entry> entries_;
};

// An end of execution or of lingering: in `order` ends of execution come before ends of lingering, then as scheduled.
// Two words, as the heap moves them a lot: 64 million requests in flight and 10^11 events will do.
struct TimedEvent {
  static constexpr int kSlotBits = 26;
  static constexpr std::uint64_t kSlots = std::uint64_t{1} << kSlotBits;
  static constexpr std::uint64_t kLingering = std::uint64_t{1} << 63;

  TimedEvent() = default;
  TimedEvent(Nanos when, bool lingers, std::uint64_t scheduled, std::uint32_t slot_of_request)
      : time(when), order(scheduled << kSlotBits | slot_of_request | (lingers ? kLingering : 0)) {
    assert(scheduled < kLingering >> kSlotBits);
  }
  bool lingering() const { return (order & kLingering) != 0; }
  std::uint32_t slot() const { return static_cast<std::uint32_t>(order & (kSlots - 1)); }

  Nanos time = 0;
  std::uint64_t order = 0;
};

// When a waiting request gives up. Stale, and skipped, once the request's slot has another generation.
struct Deadline {
  Nanos time = 0;
  std::uint64_t order = 0;
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
};

// Deadlines of what waits. With few distinct wait limits they come in increasing order per limit, so a few first-in
// first-out lanes hold nearly all of them without sorting; a heap takes the rest. Requests leave their queues mostly by
// dispatch: their deadlines stay behind, are skipped, and are swept out when they outnumber the live ones.
class DeadlineQueue {
 public:
  // Time of the first deadline, maybe of a stale one: nothing is due before it.
  Nanos next_time() const { return next_time_; }

  void push(const Deadline& deadline);
  // A deadline pushed before has become stale.
  void note_stale() { ++stale_; }

  // Takes the first deadline; its caller asks whether it is stale and then calls forget_stale().
  Deadline pop();
  void forget_stale() { --stale_; }

  const Deadline& first() const { return next_lane_ >= 0 ? lanes_[next_lane_].front() : rest_.top(); }
  std::size_t size() const { return size_; }
  bool wants_sweep() const { return stale_ > 64 && stale_ > size_ / 2; }
  template <typename Stale>
  void sweep(Stale stale) {
    for (Lane& lane : lanes_) lane.remove_if(stale);
    rest_.remove_if(stale);
    recount();
  }

 private:
  static constexpr std::size_t kLanes = 8;

  // A ring that grows.
  class Lane {
   public:
    bool empty() const { return count_ == 0; }
    std::size_t size() const { return count_; }
    const Deadline& front() const { return ring_[first_]; }
    const Deadline& back() const { return ring_[(first_ + count_ - 1) & (ring_.size() - 1)]; }
    void push(const Deadline& deadline);
    void pop() {
      first_ = (first_ + 1) & (ring_.size() - 1);
      --count_;
    }
    template <typename Stale>
    void remove_if(Stale stale) {
      std::size_t kept = 0;
      const std::size_t mask = ring_.size() - 1;
      for (std::size_t i = 0; i < count_; ++i) {
        const Deadline d = ring_[(first_ + i) & mask];
        if (!stale(d)) ring_[(first_ + kept++) & mask] = d;
      }
      count_ = kept;
    }

   private:
    std::vector<Deadline> ring_;  // size a power of two
    std::size_t first_ = 0, count_ = 0;
  };

  void recount();
  void find_next();

  Lane lanes_[kLanes];
  TimedHeap<Deadline> rest_;
  std::size_t size_ = 0, stale_ = 0;
  Nanos next_time_ = kNever;
  int next_lane_ = -1;  // of the first deadline; -1: the heap
};

}  // namespace apf
