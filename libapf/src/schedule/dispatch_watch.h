// What kube-apiserver's metrics show of dispatching (findDispatchQueueToBoundLocked of queueset.go, v1.36), kept by a
// queue set when asked to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "schedule/queue_set_snapshot.h"
#include "schedule/queue_table.h"
#include "schedule/work.h"

namespace apf {

struct DispatchWatch {
  DispatchReading last;
  bool any = false;
  std::optional<std::uint64_t> blocked;  // tag of the request that did not fit, of the last call
  std::vector<std::int64_t> seats;       // in use, by the queue's slot

  // A dispatch from the chosen queue is about to be.
  void before_dispatch(SeatSeconds r, const QueueTable::Queue& chosen, const QueueTable& queues) {
    any = true;
    constexpr SeatSeconds kMost = std::numeric_limits<SeatSeconds>::max();
    last = {r, chosen.next_dispatch_r, kMost, 0, kMost, 0};
    for (int i = 0; i < queues.count(); ++i) {
      const std::uint32_t slot = queues.slot_of(static_cast<std::size_t>(i));
      const QueueTable::Queue& queue = queues.at(slot);
      if (queue.oldest == RequestTable::kNone && &queue != &chosen) continue;
      const SeatSeconds s = queue.next_dispatch_r;
      const SeatSeconds discounted = s - work_of(static_cast<int>(seats_of(slot)), kGuess);  // wraps, as in the server
      last.min_s = std::min(last.min_s, s);
      last.max_s = std::max(last.max_s, s);
      last.min_discounted_s = std::min(last.min_discounted_s, discounted);
      last.max_discounted_s = std::max(last.max_discounted_s, discounted);
    }
  }
  std::int64_t& seats_of(std::uint32_t slot) {
    if (seats.size() <= slot) seats.resize(slot + 1);
    return seats[slot];
  }
};

}  // namespace apf
