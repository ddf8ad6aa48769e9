#include "schedule/queue_set_snapshot.h"

#include <algorithm>

#include "schedule/queue_table.h"

namespace apf {

QueueSetSnapshot snapshot_of(const QueueTable& queues, const RequestTable& requests) {
  using Held = QueueSetSnapshot::Held;
  using Request = RequestTable::Request;
  QueueSetSnapshot out;
  out.queues.resize(static_cast<std::size_t>(queues.count()));
  for (std::size_t i = 0; i < out.queues.size() && queues.begun(); ++i)
    out.queues[i].next_dispatch_r = queues.at_index(i).next_dispatch_r;
  std::vector<int> index_of(static_cast<std::size_t>(std::max<std::size_t>(queues.slots(), 1)), -1);
  for (std::size_t i = 0; i < out.queues.size() && queues.begun(); ++i)
    index_of[queues.slot_of(i)] = static_cast<int>(i);
  std::vector<Held> running;
  for (const Request& request : requests.all()) {
    const bool lingers = request.state == Request::State::lingering;
    if (!lingers && request.state != Request::State::executing) continue;
    const int queue = request.queue == RequestTable::kNoQueue ? -1 : index_of[request.queue];
    if (queue >= 0) out.queues[static_cast<std::size_t>(queue)].seats += request.max_seats();
    if (!lingers)
      running.push_back({request.tag, queue, -1, true, request.initial_seats, request.final_seats,
                         request.additional_latency, request.start, 0});
  }
  std::stable_sort(running.begin(), running.end(), [](const Held& a, const Held& b) {
    return a.queue != b.queue ? a.queue < b.queue : a.start != b.start ? a.start < b.start : a.tag < b.tag;
  });
  std::size_t next = 0;
  const auto take_running = [&](int queue) {
    while (next < running.size() && running[next].queue == queue) out.requests.push_back(running[next++]);
  };
  take_running(-1);
  for (std::size_t i = 0; i < out.queues.size() && queues.begun(); ++i) {
    int place = 0;
    for (std::uint32_t at = queues.at_index(i).oldest; at != RequestTable::kNone; at = requests[at].next) {
      const Request& request = requests[at];
      out.requests.push_back({request.tag, static_cast<int>(i), place++, false, request.initial_seats,
                              request.final_seats, request.additional_latency, 0, request.total_work});
    }
    take_running(static_cast<int>(i));
  }
  return out;
}

}  // namespace apf
