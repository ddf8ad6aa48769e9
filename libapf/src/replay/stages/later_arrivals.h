// Requests that come later than the log says, because their client held them back or comes back after a refusal; and
// the ends of watches that move along. In order of time; of one instant, in the order in which they were put in.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/pool.h"
#include "replay/books/live_request.h"
#include "replay/prepare/prepared.h"

namespace apf {

// What the replay adds to a request of the log.
struct Sending {
  std::string id_text;
  std::uint8_t attempt = 0;  // refused that often
  bool sent = false;         // it has passed the client's limiter
  Nanos delay = 0;           // there, or because its client had too much in flight
  bool beyond_log = false;   // a retry after the last arrival of the log
  std::uint32_t chain = 0;   // see RetryChains
};

struct LaterArrival {
  JoinedEvent joined;
  Sending sending;
};

// Everything happens to it as before, only later.
void move_later(PreparedEvent& event, Nanos by);

class LaterArrivals {
 public:
  bool empty() const { return due_.empty(); }
  // kNever without any.
  Nanos next() const { return due_.empty() ? kNever : due_.top().time; }
  void push(Nanos time, LaterArrival&& arrival) { due_.push({time, order_++, held_.add(std::move(arrival))}); }
  LaterArrival pop() {
    const std::uint32_t place = due_.top().place;
    due_.pop();
    return held_.take(place);
  }

  // Its client's limiter makes the request wait.
  void hold_back(Nanos now, Nanos delay, const JoinedEvent& joined, Sending&& sending);
  // The end of a watch that began later comes as much later. False: this one began when the log says.
  bool move_watch_end(Nanos now, const JoinedEvent& joined);
  // The client of a refused request comes back after Retry-After. False: it gives up.
  bool come_back(const LiveRequest& request, std::string&& id_text, Nanos now, int retry_after_seconds);

  void note_beyond_log() { ++beyond_log_; }
  std::uint64_t beyond_log() const { return beyond_log_; }
  std::uint64_t retried() const { return retried_; }
  std::uint64_t gave_up() const { return gave_up_; }

 private:
  struct Due {
    Nanos time;
    std::uint64_t order;
    std::uint32_t place;
    bool operator>(const Due& o) const { return time != o.time ? time > o.time : order > o.order; }
  };
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  Pool<LaterArrival> held_;
  std::uint64_t order_ = 0;
  std::unordered_map<std::uint64_t, Nanos> moved_watches_;  // by audit ID: how much later they end
  std::uint64_t retried_ = 0, gave_up_ = 0, beyond_log_ = 0;
};

}  // namespace apf
