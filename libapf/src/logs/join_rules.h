// What one line of a log means for a request when it is taken alone, or together with the other log's line of the same
// request.
#pragma once

#include <algorithm>
#include <deque>

#include <apf/logs.h>

#include "base/hash.h"
#include "logs/event_batch.h"
#include "logs/recent_ends.h"
#include "logs/request_event.h"

namespace apf {

// What joining came to.
struct JoinSums {
  std::uint64_t requests = 0;
  std::uint64_t out_of_window = 0;       // arrived, or ended, before what was already handed on
  std::uint64_t negative_latencies = 0;  // events that end before they were received
  // Events that are in the log a second time, as by a shipper that was not sure the first one had arrived: of those not
  // far from each other.
  std::uint64_t duplicates = 0;
  RefusalCounts repeated;        // of duplicates and of `aggregated`
  std::uint64_t aggregated = 0;  // requests that an aggregated API server logged as well
  std::uint64_t unfinished = 0;  // requests without an end in the log
  Nanos longest = 0;             // how long after its arrival the log has the end of a request that is no watch
  JoinReport logs;               // how the two logs met; `joined` is not set
};

// Whether a refusal came so late that it was none at once, and so early that the request had not waited as long as it
// may: the client gave up, after `total`.
bool left_its_queue(Nanos total, Nanos wait_limit);

// An HTTP line of a request that timed out while it was running: it goes on without its client.
bool served_on_after_timeout(const RequestEvent& http);

bool refused_early(const RequestEvent& event);
// A refusal by API Priority and Fairness that was none at once: older servers do not annotate its wait.
bool waited_in_vain(const RequestEvent& event);
void hang_up(RequestEvent& event);

// A request that only the HTTP log has. A 504: before the request may have waited its time the client left its queue;
// after that it was running, and goes on doing so.
void stand_alone(RequestEvent& http);

// Whether an aggregated API server logged `inner` when kube-apiserver sent `outer` on to it: the same ID and request,
// within the time of the other one.
inline bool is_within(const RequestEvent& inner, const RequestEvent& outer) {
  return inner.id == outer.id && inner.target == outer.target && inner.received >= outer.received &&
         inner.written() <= outer.written() && !inner.watch;
}

// Of RecentEnds: of the request's ID, its arrival and that stage. The audit ID alone is not enough: clients may set it,
// and set the same one again.
inline std::uint64_t end_of(const RequestEvent& event, Stage stage) {
  constexpr std::uint64_t kTime = (std::uint64_t{1} << RecentEnds::kTimeBits) - 1;
  const std::uint64_t line = event.http ? 1 : 2 + static_cast<std::uint64_t>(stage);
  const std::uint64_t time = static_cast<std::uint64_t>(event.received) * 0x9e3779b97f4a7c15ULL;
  // IDs that are numbered differ in their last bits alone, and by as much as stages do.
  const std::uint64_t id =
      mix64(event.id.high ^ 0x9e3779b97f4a7c15ULL, event.id.low * 0xe7037ed1a0b428dbULL + line * 0xa0761d6478bd642fULL);
  return (id & ~kTime) | time >> (64 - RecentEnds::kTimeBits) | 1;
}
inline std::uint64_t end_of(const RequestEvent& event) { return end_of(event, event.stage); }

// Requests that ended when their place in the order of arrival had passed, so that they were handed on already: the
// latest ones.
class LateRequests {
 public:
  void add(const RequestEvent& event) {
    constexpr std::size_t kMost = 256;
    if (events_.size() == kMost) events_.pop_front();
    events_.push_back(event);
  }
  // Whether one of them is what an aggregated API server logged of `outer`.
  bool has_within(const RequestEvent& outer) const {
    return std::any_of(events_.begin(), events_.end(),
                       [&](const RequestEvent& inner) { return is_within(inner, outer); });
  }

 private:
  std::deque<RequestEvent> events_;
};

// True once the request of a watch that began before the log can no longer be replayed as a request, when its end is
// logged.
inline bool outlasts(const RequestEvent& watch, Nanos window) { return watch.stage_time - watch.received > window; }

// Adds to an audit event what the line of the HTTP log says of the same request.
void join_http(RequestEvent& audit, const RequestEvent& http);

}  // namespace apf
