// Ends of execution and of lingering, by time, and at one time as TimedEvent orders them. Those that come next lie in a
// heap, later ones unsorted in slots of about a millisecond, much later ones in another heap: with thousands in flight,
// each is still compared with few others only.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include <apf/time.h>

#include "schedule/event_queue.h"

namespace apf {

class EndQueue {
 public:
  Nanos next_time() const { return near_.next_time(); }
  const TimedEvent& top() const { return near_.top(); }

  void push(TimedEvent event) {
    const std::int64_t slot = slot_of(event);
    if (near_.empty()) current_ = slot;  // there are no others
    if (slot <= current_) near_.push(event);
    else if (slot - current_ < kSlots) insert(slot, event);
    else far_.push(event);
  }

  [[gnu::always_inline]] inline void pop() {
    near_.pop();
    if (near_.empty()) advance();
  }

 private:
  static constexpr int kSlotBits = 20;
  static constexpr std::int64_t kSlots = 4096;
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Link {
    TimedEvent event;
    std::uint32_t next = kNone;
  };

  static std::int64_t slot_of(TimedEvent event) { return event.time >> kSlotBits; }
  static std::size_t place_of(std::int64_t slot) { return static_cast<std::uint64_t>(slot) % kSlots; }

  void insert(std::int64_t slot, TimedEvent event);
  // The next slot that holds anything becomes the current one.
  void advance();
  // The first slot behind the current one of which the ring holds anything.
  std::int64_t next_in_ring() const;

  TimedHeap<TimedEvent> near_;  // of the current slot, and before; empty: there are no others
  TimedHeap<TimedEvent> far_;   // later than the ring reached when they came
  std::int64_t current_ = 0;
  std::uint64_t in_ring_ = 0;                                                     // events
  std::vector<std::uint32_t> heads_ = std::vector<std::uint32_t>(kSlots, kNone);  // of each slot behind the current one
  std::array<std::uint64_t, kSlots / 64> held_{};  // a bit for each slot that holds anything
  std::vector<Link> links_;
  std::uint32_t free_ = kNone;
};

}  // namespace apf
