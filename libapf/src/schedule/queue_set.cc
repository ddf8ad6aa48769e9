// The fair-queuing scheduler of one priority level (k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset,
// v1.36). Where the server scans its queues, sums are kept here and a tree over the queues knows the next one.
#include "schedule/queue_set.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <limits>
#include <utility>

#include "schedule/dispatch_watch.h"
#include "schedule/hands.h"
#include "schedule/queue_set_snapshot.h"
#include "schedule/queue_table.h"
#include "schedule/work.h"

namespace apf {

namespace {

constexpr SeatSeconds kWindBack = std::numeric_limits<SeatSeconds>::max() / 2;
constexpr SeatSeconds kHighR = kWindBack + kWindBack / 2;
constexpr RequestTable::Handle kNone = RequestTable::kNone;

using Queue = QueueTable::Queue;
using Request = RequestTable::Request;

}  // namespace

struct QueueSet::Impl {
  Impl(const QueueSetSettings& s, Nanos now, const QueueSetRules& of_release)
      : settings(s), rules(of_release), last_time(now), queues(std::max(s.queues, 0)), demand(now) {}

  // --- events ---
  Arrival arrive(Nanos now, std::span<const std::uint32_t> hand, const WorkEstimate& work, std::uint64_t tag);
  Arrival start_at_once(Nanos now, std::uint32_t index, const WorkEstimate& work, std::uint64_t tag);
  Arrival arrive_without_queues(Nanos now, const WorkEstimate& work, std::uint64_t tag);
  bool finish(Nanos now, Handle handle);
  void release(Nanos now, Handle handle);
  void time_out(Nanos now, Handle handle);
  void configure(Nanos now, const QueueSetSettings& s);
  void stay(Nanos period, std::uint64_t times);

  // --- parts of them ---
  void begin(Nanos now);
  SeatSeconds progress(Nanos elapsed) const;
  void wind_back();
  bool may_start_at_once(const WorkEstimate& work) const;
  void enqueue(Queue& queue, Handle handle);
  void unlink(Queue& queue, Handle handle);
  void bound(Queue& queue);
  void leave_queue(Queue& queue, Handle handle);
  void drive_out(Nanos now, Queue& queue);
  bool fits(int seats) const;
  void dispatch_all(Nanos now);
  bool dispatch_one(Nanos now);
  void release_seats(Nanos now, Handle handle);
  void tell_dispatch(const Dispatch& d) {
    if (dispatches == dispatched.size()) dispatched.resize(2 * dispatches);
    dispatched[dispatches++] = d;
  }
  void note_demand(Nanos now) { demand.set(now, static_cast<double>(seats_in_use + seats_waiting)); }

  QueueSetSettings settings;
  const QueueSetRules rules;
  SeatSeconds r = 0;
  Nanos last_time;
  int robin = 0;
  Deals deals;
  std::int64_t seats_in_use = 0, seats_waiting = 0;
  std::int64_t waiting = 0, executing = 0, lingering = 0;
  // What the meter's rate is made of. Differs from seats_in_use + seats_waiting, see dispatch_one.
  std::int64_t seats_requested = 0;
  std::int64_t active_queues = 0;

  RequestTable requests;
  QueueTable queues;
  Hands hands;
  std::vector<Dispatch> dispatched = std::vector<Dispatch>(4);  // by the last call, in the first `dispatches` places
  std::size_t dispatches = 0;
  std::vector<std::uint64_t> driven_out;  // by the last arrival
  SeatDemandIntegrator demand;
  int length_after_enqueue = 0;
  std::unique_ptr<DispatchWatch> watch;  // null: nobody wants to know
};

// Forgets the last call's dispatches and advances the meter to now: R grows by the seats that are wanted and to be
// had, per active queue.
inline void QueueSet::Impl::begin(Nanos now) {
  assert(now >= last_time);
  dispatches = 0;
  if (watch) [[unlikely]]
    watch->blocked.reset();
  const Nanos elapsed = now - last_time;
  last_time = now;
  if (active_queues == 0 || elapsed == 0) return;
  r += progress(elapsed);
  if (r >= kHighR) [[unlikely]]
    wind_back();
}

inline SeatSeconds QueueSet::Impl::progress(Nanos elapsed) const {
  const auto seats = static_cast<double>(std::min<std::int64_t>(seats_requested, settings.concurrency_limit));
  return work_of(seats / static_cast<double>(active_queues), elapsed);
}

// Keeps R and all that is compared with it from overflowing.
void QueueSet::Impl::wind_back() {
  r -= kWindBack;
  for (Queue& queue : queues.all()) {
    if (!queue.active()) {
      if (queue.next_dispatch_r != 0) queue.next_dispatch_r = 0;
      continue;
    }
    queue.next_dispatch_r -= kWindBack;
    for (std::uint32_t at = queue.oldest; at != kNone; at = requests[at].next) requests[at].arrival_r -= kWindBack;
    if (queue.oldest != kNone) queues.update(queue, requests);
  }
}

inline bool QueueSet::Impl::may_start_at_once(const WorkEstimate& work) const {
  return waiting == 0 && seats_in_use < settings.concurrency_limit &&
         seats_in_use + std::max(work.initial_seats, work.final_seats) <= settings.concurrency_limit;
}

// What arrive() comes to when nothing waits and the request fits. It would be the only one in the tree, so that it is
// picked with any key and robin, leaves nothing behind in the tree and the FIFOs, and never counts as waiting but
// for an instant in which seats in use and waiting already have the sum that they keep. Being in the limit it is not
// reshaped.
inline QueueSet::Arrival QueueSet::Impl::start_at_once(Nanos now, std::uint32_t index, const WorkEstimate& work,
                                                       std::uint64_t tag) {
  begin(now);
  if (!queues.begun()) [[unlikely]]
    queues.begin();
  const std::uint32_t slot = queues.slot_of(index);
  const Handle handle = requests.take();
  Request& request = requests[handle];
  request.tag = tag;
  request.start = now;
  request.additional_latency = work.additional_latency;
  request.queue = slot;
  request.initial_seats = work.initial_seats;
  request.final_seats = work.final_seats;
  request.state = Request::State::executing;
  Queue& queue = queues.at(slot);
  queue.index = static_cast<int>(index);
  if (!queue.active()) {
    queue.next_dispatch_r = r;
    ++active_queues;
  }
  queue.next_dispatch_r = std::max(queue.next_dispatch_r, r);
  length_after_enqueue = 1;
  if (watch) [[unlikely]] {
    watch->before_dispatch(r, queue, queues);
    watch->seats_of(slot) += request.max_seats();
  }
  queue.next_dispatch_r += total_work_of(work);
  ++queue.executing;
  ++executing;
  robin = static_cast<int>(index);
  seats_in_use += request.max_seats();
  seats_requested += request.max_seats();
  note_demand(now);
  tell_dispatch({handle, tag, work.additional_latency});
  return {Verdict::accepted, handle, robin};
}

QueueSet::Arrival QueueSet::Impl::arrive(Nanos now, std::span<const std::uint32_t> hand, const WorkEstimate& work,
                                         std::uint64_t tag) {
  begin(now);
  if (!queues.begun()) [[unlikely]]
    queues.begin();
  const std::uint32_t index = queues.least_work(hand, deals.first_card(hand.size()));
  const std::uint32_t slot = queues.slot_of(index);
  Queue& queue = queues.at(slot);
  queue.index = static_cast<int>(index);
  if (rules.lazy_wait_limit > 0) [[unlikely]]
    drive_out(now, queue);
  // An idle server takes a request even beyond the queue's length.
  if (seats_in_use >= settings.concurrency_limit &&
      static_cast<std::int64_t>(queue.waiting) >= settings.queue_length_limit) {
    return {Verdict::queue_full, 0, -1};
  }
  const Handle handle = requests.add(work, tag);
  requests[handle].queue = slot;
  enqueue(queue, handle);
  length_after_enqueue = static_cast<int>(queue.waiting);
  note_demand(now);
  bound(queue);
  dispatch_all(now);
  return {Verdict::accepted, handle, static_cast<int>(index)};
}

// Exempt and Reject levels.
QueueSet::Arrival QueueSet::Impl::arrive_without_queues(Nanos now, const WorkEstimate& work, std::uint64_t tag) {
  begin(now);
  if (!fits(std::max(work.initial_seats, work.final_seats))) return {Verdict::concurrency_limit, 0, -1};
  const Handle handle = requests.add(work, tag);
  Request& request = requests[handle];
  request.state = Request::State::executing;
  request.start = now;
  ++executing;
  length_after_enqueue = 0;
  seats_in_use += request.max_seats();
  note_demand(now);
  tell_dispatch({handle, tag, request.additional_latency});
  return {Verdict::accepted, handle, -1};
}

inline void QueueSet::Impl::release_seats(Nanos now, Handle handle) {
  const Request& request = requests[handle];
  seats_in_use -= request.max_seats();
  note_demand(now);
  if (const std::uint32_t slot = request.queue; slot != RequestTable::kNoQueue) {
    Queue& queue = queues.at(slot);
    seats_requested -= request.max_seats();
    if (watch) [[unlikely]]
      watch->seats_of(slot) -= request.max_seats();
    // The server does not look at lingering requests here and may remove a wrong queue by a stale index.
    if (queues.count() > settings.queues && !queue.active() && queue.lingering == 0) {
      const int index = queues.remove(slot, requests);
      if (robin >= index) --robin;
    }
  }
  requests.free(handle);
}

inline bool QueueSet::Impl::finish(Nanos now, Handle handle) {
  begin(now);
  Request& request = requests[handle];
  assert(request.state == Request::State::executing);
  --executing;
  const bool lingers = request.additional_latency > 0;
  if (request.queue != RequestTable::kNoQueue) {
    Queue& queue = queues.at(request.queue);
    --queue.executing;
    if (lingers) ++queue.lingering;
    if (!queue.active()) --active_queues;
    // The guess is replaced by the time it really took.
    queue.next_dispatch_r -= work_of(request.initial_seats, kGuess - (now - request.start));
    if (queue.oldest != kNone) bound(queue);  // otherwise it is not in the tree
  }
  if (lingers) {
    request.state = Request::State::lingering;
    ++lingering;
  } else {
    release_seats(now, handle);
  }
  if (waiting != 0) dispatch_all(now);
  return lingers;
}

void QueueSet::Impl::release(Nanos now, Handle handle) {
  begin(now);
  assert(requests[handle].state == Request::State::lingering);
  --lingering;
  if (requests[handle].queue != RequestTable::kNoQueue) --queues.at(requests[handle].queue).lingering;
  release_seats(now, handle);
  if (waiting != 0) dispatch_all(now);
}

void QueueSet::Impl::time_out(Nanos now, Handle handle) {
  begin(now);
  Request& request = requests[handle];
  assert(request.state == Request::State::waiting);
  Queue& queue = queues.at(request.queue);
  leave_queue(queue, handle);
  note_demand(now);
}

// A waiting request leaves, not dispatched. The demand is the caller's.
void QueueSet::Impl::leave_queue(Queue& queue, Handle handle) {
  unlink(queue, handle);
  if (!queue.active()) --active_queues;
  seats_waiting -= requests[handle].max_seats();
  if (rules.bounds_after_removal) bound(queue);
  else queues.update(queue, requests);
  requests.free(handle);
}

// Before 1.28.5 the wait limit is looked at only here (removeTimedOutRequestsFromQueueToBoundLocked).
void QueueSet::Impl::drive_out(Nanos now, Queue& queue) {
  while (queue.oldest != kNone && now - requests[queue.oldest].start > rules.lazy_wait_limit) {
    driven_out.push_back(requests[queue.oldest].tag);
    leave_queue(queue, queue.oldest);
  }
  if (!driven_out.empty()) note_demand(now);
}

void QueueSet::Impl::configure(Nanos now, const QueueSetSettings& s) {
  assert((s.queues < 0) == (settings.queues < 0));
  begin(now);
  // Queues too many go one by one as they fall idle, see release_seats.
  if (s.queues > queues.count()) queues.add(s.queues - queues.count(), requests);
  settings = s;
  if (waiting != 0) dispatch_all(now);
}

// What waits cannot start: it would have done so in the last configure(). Only the meter moves.
void QueueSet::Impl::stay(Nanos period, std::uint64_t times) {
  last_time += period * static_cast<Nanos>(times);
  if (active_queues == 0) return;
  const SeatSeconds step = progress(period);
  while (times > 0 && step > 0) {
    // As many steps as end below the highest value, and the one that reaches it.
    const std::uint64_t steps = r < kHighR ? std::min(times, (kHighR - 1 - r) / step + 1) : 1;
    r += steps * step;
    times -= steps;
    if (r >= kHighR) wind_back();
  }
}

void QueueSet::Impl::enqueue(Queue& queue, Handle handle) {
  Request& request = requests[handle];
  request.state = Request::State::waiting;
  request.start = last_time;  // since when it waits
  request.arrival_r = r;
  if (!queue.active()) {
    queue.next_dispatch_r = r;
    ++active_queues;
  }
  request.previous = queue.newest;
  request.next = kNone;
  (queue.newest == kNone ? queue.oldest : requests[queue.newest].next) = handle;
  queue.newest = handle;
  ++queue.waiting;
  ++waiting;
  queues.waiting_work(queue.index) += request.total_work;
  seats_waiting += request.max_seats();
  seats_requested += request.max_seats();
}

// Takes a waiting request out of its queue. The set's seats_waiting and active_queues are the caller's.
void QueueSet::Impl::unlink(Queue& queue, Handle handle) {
  const Request& request = requests[handle];
  (request.previous == kNone ? queue.oldest : requests[request.previous].next) = request.next;
  (request.next == kNone ? queue.newest : requests[request.next].previous) = request.previous;
  --queue.waiting;
  --waiting;
  queues.waiting_work(queue.index) -= request.total_work;
  seats_requested -= request.max_seats();
}

// Anti-windup: a queue does not start its oldest request in the time before that arrived. Then the tree is updated.
void QueueSet::Impl::bound(Queue& queue) {
  if (queue.oldest != kNone) queue.next_dispatch_r = std::max(queue.next_dispatch_r, requests[queue.oldest].arrival_r);
  queues.update(queue, requests);
}

bool QueueSet::Impl::fits(int seats) const {
  if (settings.queues < 0) return true;
  if (seats > settings.concurrency_limit) return executing == 0;
  return seats_in_use + seats <= settings.concurrency_limit;
}

void QueueSet::Impl::dispatch_all(Nanos now) {
  while (waiting != 0 && seats_in_use < settings.concurrency_limit && dispatch_one(now)) {
  }
}

bool QueueSet::Impl::dispatch_one(Nanos now) {
  const int index = queues.pick(robin);
  assert(index >= 0);
  Queue& queue = queues.at_index(static_cast<std::size_t>(index));
  const Handle handle = queue.oldest;
  Request& request = requests[handle];
  if (!fits(request.max_seats())) {
    // The server's scan moves the robin once around, which turns "before the first queue" into the last one.
    if (robin < 0) robin += queues.count();
    if (watch) [[unlikely]]
      watch->blocked = request.tag;
    return false;
  }
  robin = index;
  if (watch) [[unlikely]]
    watch->before_dispatch(r, queue, queues);
  unlink(queue, handle);
  if (request.final_seats > settings.concurrency_limit) {
    const SeatSeconds final_work = work_of(request.final_seats, request.additional_latency);
    request.final_seats = settings.concurrency_limit;
    request.additional_latency = duration_per_seat(final_work, request.final_seats);
  }
  // The reshaped seats: what was reshaped away stays in seats_waiting, as in the server.
  seats_waiting -= request.max_seats();
  request.state = Request::State::executing;
  request.start = now;
  ++executing;
  ++queue.executing;
  seats_in_use += request.max_seats();
  seats_requested += request.max_seats();
  if (watch) [[unlikely]]
    watch->seats_of(request.queue) += request.max_seats();
  note_demand(now);
  queue.next_dispatch_r += request.total_work;
  bound(queue);
  tell_dispatch({handle, request.tag, request.additional_latency});
  return true;
}

QueueSet::QueueSet(const QueueSetSettings& settings, Nanos now, const QueueSetRules& rules)
    : impl_(std::make_unique<Impl>(settings, now, rules)) {}
QueueSet::~QueueSet() = default;
QueueSet::QueueSet(QueueSet&&) noexcept = default;
QueueSet& QueueSet::operator=(QueueSet&&) noexcept = default;

QueueSet::Arrival QueueSet::arrive(Nanos now, std::uint64_t flow_hash, const WorkEstimate& work, std::uint64_t tag) {
  Impl& set = *impl_;
  if (!set.driven_out.empty()) [[unlikely]]
    set.driven_out.clear();
  if (set.settings.queues <= 0) return set.arrive_without_queues(now, work, tag);
  const auto hand = set.hands.of(flow_hash, set.settings.queues, set.settings.hand_size);
  if (!set.may_start_at_once(work)) return set.arrive(now, hand, work, tag);
  // No queue of the hand has work waiting: the first one visited is chosen.
  return set.start_at_once(now, hand[set.deals.first_card(hand.size())], work, tag);
}

QueueSet::Arrival QueueSet::arrive(Nanos now, std::span<const std::uint32_t> hand, const WorkEstimate& work,
                                   std::uint64_t tag) {
  impl_->driven_out.clear();
  if (impl_->settings.queues <= 0) return impl_->arrive_without_queues(now, work, tag);
  return impl_->arrive(now, hand, work, tag);
}

bool QueueSet::finish(Nanos now, Handle handle) { return impl_->finish(now, handle); }
void QueueSet::release(Nanos now, Handle handle) { impl_->release(now, handle); }
void QueueSet::time_out(Nanos now, Handle handle) { impl_->time_out(now, handle); }
void QueueSet::configure(Nanos now, const QueueSetSettings& settings) { impl_->configure(now, settings); }
void QueueSet::stay(Nanos period, std::uint64_t times) { impl_->stay(period, times); }
std::span<const QueueSet::Dispatch> QueueSet::dispatched() const {
  return {impl_->dispatched.data(), impl_->dispatches};
}

std::span<const std::uint64_t> QueueSet::driven_out() const { return impl_->driven_out; }

void QueueSet::watch_dispatching() {
  if (!impl_->watch) impl_->watch = std::make_unique<DispatchWatch>();
}
const DispatchReading* QueueSet::last_dispatch() const {
  return impl_->watch && impl_->watch->any ? &impl_->watch->last : nullptr;
}
std::optional<std::uint64_t> QueueSet::not_accommodated() const {
  return impl_->watch ? impl_->watch->blocked : std::nullopt;
}
int QueueSet::length_after_enqueue() const { return impl_->length_after_enqueue; }

const QueueSetSettings& QueueSet::settings() const { return impl_->settings; }
SeatSeconds QueueSet::r() const { return impl_->r; }
SeatSeconds QueueSet::next_dispatch_r(int queue) const {
  const QueueTable& queues = impl_->queues;
  return queues.begun() ? queues.at_index(static_cast<std::size_t>(queue)).next_dispatch_r : 0;
}
QueueSetSnapshot QueueSet::snapshot() const { return snapshot_of(impl_->queues, impl_->requests); }
int QueueSet::queue_count() const { return impl_->queues.count(); }
QueueSet::Counts QueueSet::counts() const {
  const Impl& set = *impl_;
  return {set.robin,     set.deals.count(), static_cast<int>(set.seats_in_use), set.seats_waiting, set.waiting,
          set.executing, set.lingering};
}
SeatDemandIntegrator& QueueSet::demand() { return impl_->demand; }

}  // namespace apf
