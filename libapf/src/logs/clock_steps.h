// A server's clock that is set back for good makes all that it writes afterwards too late to be put in order. Here the
// times of such a log go on from where they were.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "logs/event_batch.h"
#include "logs/request_event.h"

namespace apf {

class ClockSteps {
 public:
  // `window`: what comes that much later than its time says is merely out of order.
  explicit ClockSteps(Nanos window) : window_(window) {}

  // The next events of the log, in its order. Where as many in a row are late that it cannot be chance, their times and
  // all later ones are moved, until the clock is right again.
  // `is_repeated(event)`: it was there before, as where rotated files overlap. It says nothing of the clock.
  template <class Batch, class IsRepeated>
  void straighten(Batch& batch, const IsRepeated& is_repeated) {
    if (batch.events.empty() || is_in_order(batch)) return;  // nearly always
    std::vector<RequestEvent*> events;
    events.reserve(batch.events.size());
    for (std::size_t i = 0; i < batch.events.size(); ++i)
      if (RequestEvent& event = batch.events[i].event; !is_repeated(event)) events.push_back(&event);
    move_late(events);
    for (const RequestEvent* event : events)
      if (event->note != 0) batch.notes[event->note - 1].time = event->received;
  }

  std::uint64_t steps() const { return steps_; }
  Nanos largest() const { return largest_; }

 private:
  // Takes a batch in whose order nothing is odd.
  bool is_in_order(const EventBatch& batch);
  void move_late(std::span<RequestEvent* const> events);
  bool is_step(std::span<RequestEvent* const> rest) const;
  void move(RequestEvent& event) const;

  Nanos window_;
  Nanos latest_ = INT64_MIN;  // moved
  Nanos offset_ = 0;
  std::uint64_t late_ = 0;  // in a row
  std::uint64_t steps_ = 0;
  Nanos largest_ = 0;
};

}  // namespace apf
