// What is in a queue set at an instant: all of it for a dump, and what metrics show of a dispatch.
#pragma once

#include <cstdint>
#include <vector>

#include <apf/time.h>

#include "schedule/seats.h"

namespace apf {

class QueueTable;
class RequestTable;

// What kube-apiserver's metrics show of dispatching.
struct DispatchReading {
  SeatSeconds r = 0, s = 0;                                // the meter, and the virtual start of the request
  SeatSeconds min_s = 0, max_s = 0;                        // of the oldest requests of all queues
  SeatSeconds min_discounted_s = 0, max_discounted_s = 0;  // less the work that is guessed to be in progress
};

struct QueueSetSnapshot {
  // Lingering requests hold seats of their queue, and are in no list.
  struct Held {
    std::uint64_t tag = 0;
    int queue = -1, index = 0;  // its place in the queue while it waits
    bool executing = false;
    int initial_seats = 0, final_seats = 0;
    Nanos additional_latency = 0, start = 0;
    SeatSeconds total_work = 0;  // while it waits
  };
  struct Queue {
    SeatSeconds next_dispatch_r = 0;
    int seats = 0;
  };
  std::vector<Queue> queues;   // by index
  std::vector<Held> requests;  // by queue; those that wait in order, then those that run by start
};

QueueSetSnapshot snapshot_of(const QueueTable& queues, const RequestTable& requests);

}  // namespace apf
