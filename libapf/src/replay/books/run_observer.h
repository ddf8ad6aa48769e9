// What is written down of a run only when it is wanted: metrics, curves over time, dumps. All calls in the order of the
// clock; an observer takes those that concern it.
#pragma once

#include <cstdint>
#include <string>

#include "schedule/controller.h"

#include "replay/books/live_request.h"

namespace apf {

// Metrics and curves count in seconds.
inline double seconds_of(Nanos duration) { return static_cast<double>(duration) / 1e9; }

class RunObserver {
 public:
  virtual ~RunObserver() = default;
  // The server is up; its first round follows. `first_arrival` is not before.
  virtual void on_begin(Controller& /*controller*/, Nanos /*first_arrival*/) {}
  // Before on_arrive: what is kept of the request's text, see decision_text().
  virtual void on_text(const LiveRequest& /*request*/, const std::string& /*id_text*/) {}
  // Before its level has it. `watches`: interested ones, -1 where nobody asks.
  virtual void on_arrive(Nanos /*now*/, const LiveRequest& /*request*/, std::int64_t /*watches*/) {}
  // After on_arrive, and after on_dispatch when it could start at once. `length`: of its queue, itself included.
  virtual void on_enqueue(Nanos /*now*/, const LiveRequest& /*request*/, int /*length*/) {}
  virtual void on_dispatch(Nanos /*now*/, const LiveRequest& /*request*/) {}
  virtual void on_finish(Nanos /*now*/, const LiveRequest& /*request*/) {}
  virtual void on_release(Nanos /*now*/, const LiveRequest& /*request*/) {}
  virtual void on_refuse(Nanos /*now*/, const LiveRequest& /*request*/, Outcome /*outcome*/) {}
  virtual void on_no_accommodation(Nanos /*now*/, const LiveRequest& /*request*/, std::uint64_t /*times*/) {}
  virtual void on_round(const Round& /*round*/) {}
  // Not in the order of the clock: up to a second late. `since`: when the watch began to run.
  virtual void on_watch_end(Nanos /*now*/, std::uint32_t /*endpoint*/, Nanos /*since*/) {}
};

}  // namespace apf
