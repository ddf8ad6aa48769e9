// The fair-queuing scheduler of one priority level (k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset,
// v1.36). Where the server scans its queues, sums are kept here and a tree over the queues knows the next one.
#include "schedule/queue_set.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include <apf/hand.h>

#include "base/deal_card.h"
#include "base/zeroed_array.h"
#include "schedule/dispatch_watch.h"
#include "schedule/queue_set_tree.h"
#include "schedule/work.h"

namespace apf {

namespace {

constexpr SeatSeconds kWindBack = std::numeric_limits<SeatSeconds>::max() / 2;
constexpr SeatSeconds kHighR = kWindBack + kWindBack / 2;
constexpr std::uint32_t kNone = 0;  // no request
constexpr std::uint32_t kNoQueue = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kMaxHand = 64;

struct Request {
  std::uint64_t tag = 0;
  SeatSeconds arrival_r = 0;
  SeatSeconds total_work = 0;
  Nanos start = 0;
  Nanos additional_latency = 0;
  std::uint32_t previous = kNone, next = kNone;  // in its queue's FIFO; next also in the list of free ones
  std::uint32_t queue = kNoQueue;                // slot, not index
  int initial_seats = 0, final_seats = 0;
  enum class State : std::uint8_t { free, waiting, executing, lingering } state = State::free;

  int max_seats() const { return std::max(initial_seats, final_seats); }
};

// A queue keeps its slot for life, while its index shifts when a lower one is removed. All zero before the first
// request comes.
struct Queue {
  std::uint32_t oldest, newest;
  std::uint32_t waiting, executing, lingering;
  int index;  // set when a request comes
  SeatSeconds next_dispatch_r;

  bool active() const { return waiting != 0 || executing != 0; }
};

}  // namespace

struct QueueSet::Impl {
  Impl(const QueueSetSettings& s, Nanos now) : settings(s), last_time(now), demand(now) {
    count = std::max(s.queues, 0);
  }

  // --- events ---
  Arrival arrive(Nanos now, std::span<const std::uint32_t> hand, const WorkEstimate& work, std::uint64_t tag);
  Arrival start_at_once(Nanos now, std::uint32_t index, const WorkEstimate& work, std::uint64_t tag);
  Arrival arrive_without_queues(Nanos now, const WorkEstimate& work, std::uint64_t tag);
  bool finish(Nanos now, Handle handle);
  void release(Nanos now, Handle handle);
  void time_out(Nanos now, Handle handle);
  void configure(Nanos now, const QueueSetSettings& s);
  void stay(Nanos period, std::uint64_t times);
  Snapshot snapshot() const;

  // --- parts of them ---
  void begin(Nanos now);
  SeatSeconds progress(Nanos elapsed) const;
  void wind_back();
  bool may_start_at_once(const WorkEstimate& work) const;
  std::uint32_t choose_queue(std::span<const std::uint32_t> hand);
  Handle take_handle();
  Handle new_request(const WorkEstimate& work, std::uint64_t tag);
  void free_request(Handle handle);
  void enqueue(Queue& queue, Handle handle);
  void unlink(Queue& queue, Handle handle);
  void bound(Queue& queue);
  bool fits(int seats) const;
  void dispatch_all(Nanos now) {
    if (waiting != 0) dispatch_waiting(now);
  }
  void dispatch_waiting(Nanos now);
  bool dispatch_one(Nanos now);
  void release_seats(Nanos now, Handle handle);
  void make_queues();
  void add_queues(int more);
  void remove_queue(std::uint32_t slot);
  void rebuild_tree();
  void tell_dispatch(const Dispatch& d) {
    if (dispatches == dispatched.size()) dispatched.resize(2 * dispatches);
    dispatched[dispatches++] = d;
  }
  void watch_dispatch(const Queue& chosen);
  void note_demand(Nanos now) { demand.set(now, static_cast<double>(seats_in_use + seats_waiting)); }
  int queue_count() const { return count; }
  std::uint32_t slot_of(std::size_t index) const {
    return slots.empty() ? static_cast<std::uint32_t>(index) : slots[index];
  }

  QueueSetSettings settings;
  SeatSeconds r = 0;
  Nanos last_time;
  int robin = 0;
  std::uint64_t deals = 0;
  std::int64_t seats_in_use = 0, seats_waiting = 0;
  std::int64_t waiting = 0, executing = 0, lingering = 0;
  // What the meter's rate is made of. Differs from seats_in_use + seats_waiting, see dispatch_one.
  std::int64_t seats_requested = 0;
  std::int64_t active_queues = 0;

  int count = 0;
  // Arrays begin with the first request. Queues that none comes to cost nothing.
  ZeroedArray<Queue> queues;  // by slot
  std::vector<std::uint32_t> free_slots;
  std::vector<std::uint32_t> slots;       // by index; empty: the same
  ZeroedArray<SeatSeconds> waiting_work;  // by index
  QueueTree tree;                         // by index; the key is the virtual finish of the oldest request
  std::vector<Request> requests = std::vector<Request>(1);  // by handle, which begin with 1
  std::uint32_t free_requests = kNone;
  std::vector<Dispatch> dispatched = std::vector<Dispatch>(4);  // by the last call, in the first `dispatches` places
  std::size_t dispatches = 0;
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
  for (Queue& queue : queues) {
    if (!queue.active()) {
      if (queue.next_dispatch_r != 0) queue.next_dispatch_r = 0;
      continue;
    }
    queue.next_dispatch_r -= kWindBack;
    for (std::uint32_t at = queue.oldest; at != kNone; at = requests[at].next) requests[at].arrival_r -= kWindBack;
    if (queue.oldest != kNone) tree.set(queue.index, queue.next_dispatch_r + requests[queue.oldest].total_work);
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
  if (queues.empty()) [[unlikely]]
    make_queues();
  const std::uint32_t slot = slot_of(index);
  const Handle handle = take_handle();
  Request& request = requests[handle];
  request.tag = tag;
  request.start = now;
  request.additional_latency = work.additional_latency;
  request.queue = slot;
  request.initial_seats = work.initial_seats;
  request.final_seats = work.final_seats;
  request.state = Request::State::executing;
  Queue& queue = queues[slot];
  queue.index = static_cast<int>(index);
  if (!queue.active()) {
    queue.next_dispatch_r = r;
    ++active_queues;
  }
  queue.next_dispatch_r = std::max(queue.next_dispatch_r, r);
  length_after_enqueue = 1;
  if (watch) [[unlikely]] {
    watch_dispatch(queue);
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
  if (queues.empty()) [[unlikely]]
    make_queues();
  const std::uint32_t index = choose_queue(hand);
  const std::uint32_t slot = slot_of(index);
  Queue& queue = queues[slot];
  queue.index = static_cast<int>(index);
  // An idle server takes a request even beyond the queue's length.
  if (seats_in_use >= settings.concurrency_limit &&
      static_cast<std::int64_t>(queue.waiting) >= settings.queue_length_limit) {
    return {Verdict::queue_full, 0, -1};
  }
  const Handle handle = new_request(work, tag);
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
  const Handle handle = new_request(work, tag);
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

inline void QueueSet::Impl::free_request(Handle handle) {
  Request& request = requests[handle];
  request.state = Request::State::free;
  request.next = free_requests;
  free_requests = handle;
}

inline void QueueSet::Impl::release_seats(Nanos now, Handle handle) {
  const Request& request = requests[handle];
  seats_in_use -= request.max_seats();
  note_demand(now);
  if (const std::uint32_t slot = request.queue; slot != kNoQueue) {
    Queue& queue = queues[slot];
    seats_requested -= request.max_seats();
    if (watch) [[unlikely]]
      watch->seats_of(slot) -= request.max_seats();
    // The server does not look at lingering requests here and may remove a wrong queue by a stale index.
    if (queue_count() > settings.queues && !queue.active() && queue.lingering == 0) remove_queue(slot);
  }
  free_request(handle);
}

inline bool QueueSet::Impl::finish(Nanos now, Handle handle) {
  begin(now);
  Request& request = requests[handle];
  assert(request.state == Request::State::executing);
  --executing;
  const bool lingers = request.additional_latency > 0;
  if (request.queue != kNoQueue) {
    Queue& queue = queues[request.queue];
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
  dispatch_all(now);
  return lingers;
}

void QueueSet::Impl::release(Nanos now, Handle handle) {
  begin(now);
  assert(requests[handle].state == Request::State::lingering);
  --lingering;
  if (requests[handle].queue != kNoQueue) --queues[requests[handle].queue].lingering;
  release_seats(now, handle);
  dispatch_all(now);
}

void QueueSet::Impl::time_out(Nanos now, Handle handle) {
  begin(now);
  Request& request = requests[handle];
  assert(request.state == Request::State::waiting);
  Queue& queue = queues[request.queue];
  unlink(queue, handle);
  if (!queue.active()) --active_queues;
  seats_waiting -= request.max_seats();
  note_demand(now);
  bound(queue);
  free_request(handle);
}

void QueueSet::Impl::configure(Nanos now, const QueueSetSettings& s) {
  assert((s.queues < 0) == (settings.queues < 0));
  begin(now);
  // Queues too many go one by one as they fall idle, see release_seats.
  if (s.queues > queue_count()) add_queues(s.queues - queue_count());
  settings = s;
  dispatch_all(now);
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

// The queue of the hand with the least work waiting; the hand is visited from a place that moves on with each deal.
std::uint32_t QueueSet::Impl::choose_queue(std::span<const std::uint32_t> hand) {
  assert(!hand.empty());
  const auto first = static_cast<std::size_t>(deals++ % hand.size());
  std::uint32_t best = hand[first];
  SeatSeconds least = waiting_work[best];
  const auto consider = [&](std::uint32_t index) {
    if (waiting_work[index] < least) {
      least = waiting_work[index];
      best = index;
    }
  };
  for (std::size_t i = first + 1; i < hand.size(); ++i) consider(hand[i]);
  for (std::size_t i = 0; i < first; ++i) consider(hand[i]);
  return best;
}

inline QueueSet::Handle QueueSet::Impl::take_handle() {
  const Handle handle = free_requests;
  if (handle == kNone) [[unlikely]] {
    requests.emplace_back();
    return static_cast<Handle>(requests.size() - 1);
  }
  free_requests = requests[handle].next;
  return handle;
}

QueueSet::Handle QueueSet::Impl::new_request(const WorkEstimate& work, std::uint64_t tag) {
  const Handle handle = take_handle();
  Request& request = requests[handle];
  request.tag = tag;
  request.total_work = total_work_of(work);
  request.additional_latency = work.additional_latency;
  request.queue = kNoQueue;
  request.initial_seats = work.initial_seats;
  request.final_seats = work.final_seats;
  return handle;
}

void QueueSet::Impl::enqueue(Queue& queue, Handle handle) {
  Request& request = requests[handle];
  request.state = Request::State::waiting;
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
  waiting_work[static_cast<std::size_t>(queue.index)] += request.total_work;
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
  waiting_work[static_cast<std::size_t>(queue.index)] -= request.total_work;
  seats_requested -= request.max_seats();
}

// Anti-windup: a queue does not start its oldest request in the time before that arrived. Then the tree is updated.
void QueueSet::Impl::bound(Queue& queue) {
  if (queue.oldest == kNone) {
    tree.set(queue.index, QueueTree::kAbsent);
    return;
  }
  const Request& oldest = requests[queue.oldest];
  queue.next_dispatch_r = std::max(queue.next_dispatch_r, oldest.arrival_r);
  tree.set(queue.index, queue.next_dispatch_r + oldest.total_work);
}

bool QueueSet::Impl::fits(int seats) const {
  if (settings.queues < 0) return true;
  if (seats > settings.concurrency_limit) return executing == 0;
  return seats_in_use + seats <= settings.concurrency_limit;
}

void QueueSet::Impl::dispatch_waiting(Nanos now) {
  while (waiting != 0 && seats_in_use < settings.concurrency_limit && dispatch_one(now)) {
  }
}

bool QueueSet::Impl::dispatch_one(Nanos now) {
  const int index = tree.pick(robin);
  assert(index >= 0);
  Queue& queue = queues[slot_of(static_cast<std::size_t>(index))];
  const Handle handle = queue.oldest;
  Request& request = requests[handle];
  if (!fits(request.max_seats())) {
    // The server's scan moves the robin once around, which turns "before the first queue" into the last one.
    if (robin < 0) robin += queue_count();
    if (watch) [[unlikely]]
      watch->blocked = request.tag;
    return false;
  }
  robin = index;
  if (watch) [[unlikely]]
    watch_dispatch(queue);
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

QueueSet::Snapshot QueueSet::Impl::snapshot() const {
  Snapshot out;
  out.queues.resize(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < out.queues.size() && !queues.empty(); ++i)
    out.queues[i].next_dispatch_r = queues[slot_of(i)].next_dispatch_r;
  std::vector<int> index_of(static_cast<std::size_t>(std::max<std::size_t>(queues.size(), 1)), -1);
  for (std::size_t i = 0; i < out.queues.size() && !queues.empty(); ++i) index_of[slot_of(i)] = static_cast<int>(i);
  std::vector<Held> running;
  for (const Request& request : requests) {
    const bool lingers = request.state == Request::State::lingering;
    if (!lingers && request.state != Request::State::executing) continue;
    const int queue = request.queue == kNoQueue ? -1 : index_of[request.queue];
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
  for (std::size_t i = 0; i < out.queues.size() && !queues.empty(); ++i) {
    int place = 0;
    for (std::uint32_t at = queues[slot_of(i)].oldest; at != kNone; at = requests[at].next) {
      const Request& request = requests[at];
      out.requests.push_back({request.tag, static_cast<int>(i), place++, false, request.initial_seats,
                              request.final_seats, request.additional_latency, 0, request.total_work});
    }
    take_running(static_cast<int>(i));
  }
  return out;
}

// Readings of a dispatch, before it is made.
void QueueSet::Impl::watch_dispatch(const Queue& chosen) {
  watch->begin(r, chosen.next_dispatch_r);
  for (int i = 0; i < count; ++i) {
    const std::uint32_t slot = slot_of(static_cast<std::size_t>(i));
    const Queue& queue = queues[slot];
    if (queue.oldest != kNone || &queue == &chosen) watch->look_at(slot, queue.next_dispatch_r);
  }
}

void QueueSet::Impl::make_queues() {
  queues = ZeroedArray<Queue>(static_cast<std::size_t>(count));
  waiting_work = ZeroedArray<SeatSeconds>(static_cast<std::size_t>(count));
  tree.reset(count);
}

void QueueSet::Impl::add_queues(int more) {
  const int before = std::exchange(count, count + more);
  if (queues.empty()) return;  // no request has come yet
  ZeroedArray<SeatSeconds> work(static_cast<std::size_t>(count));
  std::copy(waiting_work.begin(), waiting_work.begin() + before, work.begin());
  waiting_work = std::move(work);
  std::size_t fresh = queues.size();  // slots that were never used
  if (!slots.empty() || !free_slots.empty()) {
    for (int i = 0; i < more; ++i) {
      if (free_slots.empty()) {
        slots.push_back(static_cast<std::uint32_t>(fresh++));
      } else {
        queues[free_slots.back()] = Queue{};
        slots.push_back(free_slots.back());
        free_slots.pop_back();
      }
    }
  } else {
    fresh += static_cast<std::size_t>(more);
  }
  ZeroedArray<Queue> larger(fresh);
  std::copy(queues.begin(), queues.end(), larger.begin());
  queues = std::move(larger);
  rebuild_tree();
}

void QueueSet::Impl::remove_queue(std::uint32_t slot) {
  if (slots.empty()) {
    slots.resize(static_cast<std::size_t>(count));
    std::iota(slots.begin(), slots.end(), std::uint32_t{0});
  }
  const int index = queues[slot].index;
  slots.erase(slots.begin() + index);
  std::copy(waiting_work.begin() + index + 1, waiting_work.begin() + count, waiting_work.begin() + index);
  waiting_work[static_cast<std::size_t>(--count)] = 0;
  free_slots.push_back(slot);
  for (int i = index; i < count; ++i) queues[slots[static_cast<std::size_t>(i)]].index = i;
  if (robin >= index) --robin;
  rebuild_tree();
}

void QueueSet::Impl::rebuild_tree() {
  tree.reset(count);
  for (int i = 0; i < count; ++i) {
    const Queue& queue = queues[slot_of(static_cast<std::size_t>(i))];
    if (queue.oldest != kNone) tree.set(i, queue.next_dispatch_r + requests[queue.oldest].total_work);
  }
}

QueueSet::QueueSet(const QueueSetSettings& settings, Nanos now) : impl_(std::make_unique<Impl>(settings, now)) {}
QueueSet::~QueueSet() = default;
QueueSet::QueueSet(QueueSet&&) noexcept = default;
QueueSet& QueueSet::operator=(QueueSet&&) noexcept = default;

QueueSet::Arrival QueueSet::arrive(Nanos now, std::uint64_t flow_hash, const WorkEstimate& work, std::uint64_t tag) {
  Impl& set = *impl_;
  if (set.settings.queues <= 0) return set.arrive_without_queues(now, work, tag);
  if (set.may_start_at_once(work)) {
    // No queue of the hand has work waiting: the first one visited is chosen.
    assert(set.settings.hand_size > 0);
    const std::uint64_t first = set.deals++ % static_cast<std::uint64_t>(set.settings.hand_size);
    return set.start_at_once(now, deal_card(flow_hash, set.settings.queues, first), work, tag);
  }
  std::array<std::uint32_t, kMaxHand> cards;
  const std::span<std::uint32_t> hand(cards.data(), static_cast<std::size_t>(set.settings.hand_size));
  deal_hand(flow_hash, set.settings.queues, hand);
  return set.arrive(now, hand, work, tag);
}

QueueSet::Arrival QueueSet::arrive(Nanos now, std::span<const std::uint32_t> hand, const WorkEstimate& work,
                                   std::uint64_t tag) {
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

void QueueSet::watch_dispatching() {
  if (!impl_->watch) impl_->watch = std::make_unique<DispatchWatch>();
}
const QueueSet::DispatchReading* QueueSet::last_dispatch() const {
  return impl_->watch && impl_->watch->any ? &impl_->watch->last : nullptr;
}
std::optional<std::uint64_t> QueueSet::not_accommodated() const {
  return impl_->watch ? impl_->watch->blocked : std::nullopt;
}
int QueueSet::length_after_enqueue() const { return impl_->length_after_enqueue; }

const QueueSetSettings& QueueSet::settings() const { return impl_->settings; }
SeatSeconds QueueSet::r() const { return impl_->r; }
SeatSeconds QueueSet::next_dispatch_r(int queue) const {
  const Impl& set = *impl_;
  return set.queues.empty() ? 0 : set.queues[set.slot_of(static_cast<std::size_t>(queue))].next_dispatch_r;
}
QueueSet::Snapshot QueueSet::snapshot() const { return impl_->snapshot(); }
int QueueSet::queue_count() const { return impl_->queue_count(); }
int QueueSet::robin_index() const { return impl_->robin; }
std::uint64_t QueueSet::deals() const { return impl_->deals; }
int QueueSet::seats_in_use() const { return static_cast<int>(impl_->seats_in_use); }
std::int64_t QueueSet::seats_waiting() const { return impl_->seats_waiting; }
std::int64_t QueueSet::requests_waiting() const { return impl_->waiting; }
std::int64_t QueueSet::requests_executing() const { return impl_->executing; }
bool QueueSet::idle() const { return impl_->waiting == 0 && impl_->executing == 0 && impl_->lingering == 0; }
SeatDemandIntegrator& QueueSet::demand() { return impl_->demand; }

}  // namespace apf
