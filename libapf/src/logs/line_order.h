// In which order lines come: by the times at which they were written, up to what is usual in a log.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <vector>

#include <apf/time.h>

#include "logs/log_event.h"
#include "logs/request_event.h"

namespace apf {

// A server writes its lines in order of time but for some milliseconds. What is older than a line before it by more
// than this stands in the wrong place.
inline constexpr Nanos kUsualDisorder = kSecond;

// Lines that stand in the wrong place.
struct Falls {
  std::uint64_t lines = 0;
  Nanos deepest = 0;  // how much older the oldest of them is than a line before it
  void add(Nanos fall) {
    if (fall <= kUsualDisorder) return;
    ++lines;
    deepest = std::max(deepest, fall);
  }
  void add(const Falls& more) {
    lines += more.lines;
    deepest = std::max(deepest, more.deepest);
  }
};

// Which of the two logs of a server there are lines of.
struct HeldKinds {
  bool audit = false, http = false;
  void add(bool is_http) { (is_http ? http : audit) = true; }
  bool operator==(const HeldKinds&) const = default;
};

// The order of events: by when they were written. In one instant a request's stages have an order, and requests that of
// their IDs; those without an ID come first, in the order of their lines.
struct EventPlace {
  Nanos written = INT64_MIN;
  Stage stage = Stage::received;
  AuditId id;
  static EventPlace of(const RequestEvent& event) {
    return {event.written(), event.stage, event.trace ? AuditId() : event.id};
  }
  bool operator<(const EventPlace& o) const {
    if (written != o.written) return written < o.written;
    return std::tie(stage, id.high, id.low) < std::tie(o.stage, o.id.high, o.id.low);
  }
};

class LineOrder {
 public:
  // The event of the next line.
  void note(const RequestEvent& event) {
    if (event.note == 0 && !event.trace) holds_.add(event.http);
    note(EventPlace::of(event));
  }
  void note(const EventPlace& place) {
    const Nanos written = place.written;
    earliest_ = std::min(earliest_, written);
    if (latest_ != INT64_MIN) {
      if (written < latest_) falls_.add(latest_ - written);
      if (place < last_) {
        ++disorder_;
        falling_ += written < last_.written;
      } else {
        rising_ += written > last_.written;
      }
    }
    latest_ = std::max(latest_, written);
    last_ = place;
  }
  bool empty() const { return earliest_ == INT64_MAX; }
  Nanos earliest() const { return earliest_; }  // INT64_MAX: there is none
  Nanos last() const { return last_.written; }  // INT64_MIN: there is none
  Nanos latest() const { return latest_; }      // INT64_MIN: there is none
  bool rises() const { return disorder_ == 0; }
  // The newest line comes first, as a whole.
  bool runs_backwards() const { return falling_ > 10 * rising_; }
  const Falls& falls() const { return falls_; }
  HeldKinds holds() const { return holds_; }

 private:
  HeldKinds holds_;
  Nanos earliest_ = INT64_MAX, latest_ = INT64_MIN;
  EventPlace last_;
  std::uint64_t disorder_ = 0;              // from one line to the next
  std::uint64_t falling_ = 0, rising_ = 0;  // the same, of times alone
  Falls falls_;
};

// The events of a batch, by when they were written. Events of one instant keep the order of their lines, or the
// opposite one where the newest line comes first. `writes`: of what the events wrote; they follow them.
template <class Events, class Writes>
void put_in_order(const LineOrder& order, Events& events, Writes& writes) {
  if (order.rises()) return;
  const auto size = static_cast<std::uint32_t>(events.size());
  std::vector<std::uint32_t> places(size);
  std::iota(places.begin(), places.end(), 0);
  if (order.runs_backwards()) std::reverse(places.begin(), places.end());
  const auto comes_before = [&](std::uint32_t a, std::uint32_t b) {
    return EventPlace::of(events[a].event) < EventPlace::of(events[b].event);
  };
  std::stable_sort(places.begin(), places.end(), comes_before);
  std::vector<std::uint32_t> place_of(size);  // of an event by its old place
  for (std::uint32_t to = 0; to < size; ++to) place_of[places[to]] = to;
  // Each circle of places moves on by one.
  for (std::uint32_t first = 0; first < size; ++first) {
    if (places[first] == first) continue;
    auto held = std::move(events[first]);
    std::uint32_t to = first;
    for (std::uint32_t from = places[to]; from != first; from = places[to]) {
      events[to] = std::move(events[from]);
      places[to] = to;
      to = from;
    }
    events[to] = std::move(held);
    places[to] = to;
  }
  for (auto& write : writes) write.event = place_of[write.event];
  std::stable_sort(writes.begin(), writes.end(), [](const auto& a, const auto& b) { return a.event < b.event; });
}

}  // namespace apf
