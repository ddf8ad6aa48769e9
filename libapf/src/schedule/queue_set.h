// The fair-queuing scheduler of one priority level, on an external clock: the caller reports what happens
// when, it answers what is dispatched. Mirrors k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset
// (v1.36; KEP-1040 "Fair Queuing for Server Requests") to the nanosecond and to the last unit of virtual time.
// Every event costs O(log queues) or less, for any number of queues.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <apf/time.h>

#include "schedule/queue_set_snapshot.h"
#include "schedule/seat_demand.h"
#include "schedule/seats.h"

namespace apf {

struct QueueSetSettings {
  int queues = 0;  // 0: reject what does not fit; -1: exempt (no limit)
  int hand_size = 0;
  int queue_length_limit = 0;
  int concurrency_limit = 0;  // CurrentCL, seats
};

// What earlier releases do otherwise (base/releases.h says which).
struct QueueSetRules {
  // Set: who has waited longer leaves when another request comes to its queue, and not before.
  Nanos lazy_wait_limit = 0;
  bool bounds_after_removal = true;  // anti-windup also when a waiting request leaves
};

class QueueSet {
 public:
  using Handle = std::uint32_t;  // names a request from its arrival until it is released, refused or timed out
  enum class Verdict : std::uint8_t { accepted, queue_full, concurrency_limit };

  // Too large for two registers: packed into them it would be put together in memory, and read before it is there.
  struct alignas(8) Arrival {
    Verdict verdict = Verdict::accepted;
    alignas(8) Handle handle = 0;  // valid when accepted
    alignas(8) int queue = -1;     // index at arrival, -1 = none
  };
  struct Dispatch {
    Handle handle = 0;
    std::uint64_t tag = 0;         // the caller's own
    Nanos additional_latency = 0;  // after reshaping to the limit in force
  };

  explicit QueueSet(const QueueSetSettings& settings, Nanos now = 0, const QueueSetRules& rules = {});
  ~QueueSet();
  QueueSet(QueueSet&&) noexcept;
  QueueSet& operator=(QueueSet&&) noexcept;

  // Times never decrease from call to call. Each of the following may dispatch requests: take them
  // with dispatched() before the next call.
  Arrival arrive(Nanos now, std::uint64_t flow_hash, const WorkEstimate& work, std::uint64_t tag);
  // As above with the hand already dealt from the configured number of queues.
  Arrival arrive(Nanos now, std::span<const std::uint32_t> hand, const WorkEstimate& work, std::uint64_t tag);
  // Execution ends. True: the seats linger for the dispatch's additional_latency and release() must follow then;
  // false: they are free and the handle is gone.
  bool finish(Nanos now, Handle handle);
  void release(Nanos now, Handle handle);
  // A waiting request leaves its queue (wait limit reached). The handle is gone.
  void time_out(Nanos now, Handle handle);
  // New queue numbers and/or limit; the kind (exempt or not) must stay.
  void configure(Nanos now, const QueueSetSettings& settings);
  // The same as configure() with the settings in force `times` times, `period` apart, while nothing else happens. The
  // last call was a configure().
  void stay(Nanos period, std::uint64_t times);

  // Requests dispatched by the last call, in order of dispatch. Valid until the next call.
  std::span<const Dispatch> dispatched() const;

  // Requests that the last arrival drove out of its queue (QueueSetRules::lazy_wait_limit), oldest first: their tags.
  // Their handles are gone. Valid until the next arrival.
  std::span<const std::uint64_t> driven_out() const;

  // Kept only after watch_dispatching(), as it costs a look at every queue for each dispatch.
  void watch_dispatching();
  const DispatchReading* last_dispatch() const;  // null before the first one
  // The request whose turn it was at the end of the last call, but which is wider than the seats left; its tag.
  std::optional<std::uint64_t> not_accommodated() const;
  // Of the queue that the last accepted arrival went to, itself included, before any dispatch. 0 without queues.
  int length_after_enqueue() const;

  // Readings.
  const QueueSetSettings& settings() const;
  SeatSeconds r() const;  // progress meter at the last event
  SeatSeconds next_dispatch_r(int queue) const;
  int queue_count() const;  // may exceed settings().queues while draining
  struct Counts {
    int robin = 0;            // index of the queue that was dispatched from last
    std::uint64_t deals = 0;  // hands dealt, refused arrivals included
    int seats_in_use = 0;     // lingering ones included
    std::int64_t seats_waiting = 0;
    std::int64_t waiting = 0, executing = 0, lingering = 0;  // requests
    bool idle() const { return waiting == 0 && executing == 0 && lingering == 0; }
    bool operator==(const Counts&) const = default;
  };
  Counts counts() const;

  QueueSetSnapshot snapshot() const;
  SeatDemandIntegrator& demand();  // seats in use + seats waiting, over time

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace apf
