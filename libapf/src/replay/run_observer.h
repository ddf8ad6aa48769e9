// Whoever keeps books of a run while it goes, beside the report: metrics, curves over time. All calls in the order of
// the clock.
#pragma once

#include <cstdint>

#include <apf/controller.h>
#include <apf/replay.h>

#include "logs/log_event.h"

namespace apf {

// A request as it stands when told of.
struct ObservedRequest {
  LevelId level = 0;
  std::uint32_t schema = 0;  // number of its FlowSchema's name
  int estimated_seats = 0;   // the wider of both phases, as it arrived
  int seats = 0;             // as dispatched
  Nanos arrival = 0, dispatch = kNoTime;
  bool queues = false;  // its level had queues when it arrived
  bool watch = false, read_only = false;
};

class RunObserver {
 public:
  virtual ~RunObserver() = default;
  // The server is up; its first round follows. `first_arrival` is not before.
  virtual void on_begin(Controller& controller, Nanos first_arrival) = 0;
  // Before its level has it. `watches`: interested ones, -1 where nobody asks.
  virtual void on_arrive(Nanos now, const ObservedRequest& request, std::int64_t watches) = 0;
  // After on_arrive, and after on_dispatch when it could start at once. `length`: of its queue, itself included.
  virtual void on_enqueue(Nanos now, const ObservedRequest& request, int length) = 0;
  virtual void on_dispatch(Nanos now, const ObservedRequest& request) = 0;
  virtual void on_finish(Nanos now, const ObservedRequest& request) = 0;
  virtual void on_release(Nanos now, const ObservedRequest& request) = 0;
  virtual void on_refuse(Nanos now, const ObservedRequest& request, Outcome outcome) = 0;
  virtual void on_no_accommodation(Nanos now, const ObservedRequest& request) = 0;
  virtual void on_round(const Round& round) = 0;
};

}  // namespace apf
