// Requests that come later than the log says, because their client held them back or comes back after a refusal; and
// the ends of watches that move along. In order of time; of one instant, in the order in which they were put in.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <vector>

#include "replay/prepare/prepared.h"

namespace apf {

// What stands beside a request of the log.
struct Sending {
  std::string id_text;
  std::uint8_t attempt = 0;  // refused that often
  bool sent = false;         // it has passed the client's limiter
  Nanos delay = 0;           // there
};

struct LaterArrival {
  JoinedEvent joined;
  Sending sending;
};

class LaterArrivals {
 public:
  bool empty() const { return due_.empty(); }
  Nanos next() const { return due_.top().time; }
  void push(Nanos time, LaterArrival&& arrival) {
    std::uint32_t slot = static_cast<std::uint32_t>(held_.size());
    if (free_.empty()) {
      held_.push_back(std::move(arrival));
    } else {
      slot = free_.back();
      free_.pop_back();
      held_[slot] = std::move(arrival);
    }
    due_.push({time, order_++, slot});
  }
  LaterArrival pop() {
    const std::uint32_t slot = due_.top().slot;
    due_.pop();
    free_.push_back(slot);
    return std::move(held_[slot]);
  }

 private:
  struct Due {
    Nanos time;
    std::uint64_t order;
    std::uint32_t slot;
    bool operator>(const Due& o) const { return time != o.time ? time > o.time : order > o.order; }
  };
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::vector<LaterArrival> held_;
  std::vector<std::uint32_t> free_;
  std::uint64_t order_ = 0;
};

// Its course is what it was, only later.
void move_later(PreparedEvent& event, Nanos by);

}  // namespace apf
