// A request from its arrival at the server until its seats are free.
#pragma once

#include <algorithm>
#include <cstdint>

#include "schedule/controller.h"

#include "replay/prepare/prepared.h"

namespace apf {

struct LiveRequest {
  LiveRequest() = default;
  explicit LiveRequest(const PreparedEvent& from_log) : event(from_log) {}

  PreparedEvent event;
  std::uint64_t seq = 0;
  Nanos arrival = 0, dispatch = kNoTime;
  Nanos delay = 0;  // by the client's limiter, before it arrived
  WorkEstimate work;
  LevelId level = 0;
  std::uint64_t flow_hash = 0;
  std::uint32_t report = 0;     // index into Flows::reports()
  std::uint32_t schema = 0;     // number of its FlowSchema's name
  int seats = 0;                // as dispatched
  int wanted = 0;               // seats that it would take if nothing capped them; 0: it takes what it would
  std::int64_t list_bytes = 0;  // that it returns, where that is asked for and known
  bool queued = false;          // it could not start at once
  bool queues = false;          // its level had queues when it arrived; known only while there is a RunObserver
  bool in_report = true;
  Nanos patience = kNever;             // of its client
  bool beyond_log = false;             // see Sending
  bool unfinished = false;             // the log does not hold its end
  bool refused_inside_in_log = false;  // by a stage inside the handler
  Outcome outcome = Outcome::executed;
  std::uint16_t refused_with = 0;  // status code of a stage inside the handler; 0: none refused it
  std::uint8_t attempt = 0;        // how often it was refused before
  std::uint32_t chain = 0;         // see RetryChains
  std::uint64_t decision = 0;      // its place in the decisions

  // Rather than of a client that does otherwise here than in the log.
  bool is_of_log() const { return attempt == 0 && !event.repeated && event.copy == 0; }
  int estimated_seats() const { return std::max(work.initial_seats, work.final_seats); }
};

// Of others the log does not say whether they were served.
inline bool has_answer_in_log(const LiveRequest& request) {
  return !request.unfinished || request.event.code != 0 || request.event.recorded_refusal || request.event.hung_up;
}

}  // namespace apf
