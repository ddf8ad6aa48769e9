// QueueSet against a slow model of it written straight from the description: queues in a list, everything that can be
// recomputed is recomputed by scanning. Both run the same random scenarios and are compared after every event.
#include "schedule/queue_set.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include <apf/hand.h>

#include "catch.h"
#include "support/queue_set_driver.h"
#include "support/vectors.h"

namespace apf::test {
namespace {

constexpr Nanos kGuess = 3 * kMillisecond;

std::uint64_t work(double seats, Nanos d) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::round(seats * static_cast<double>(d) / 10)));
}

class Model {
 public:
  using Handle = std::uint32_t;

  explicit Model(const QueueSetSettings& settings) : settings_(settings) { add_queues(); }

  QueueSet::Arrival arrive(Nanos now, std::uint64_t flow_hash, const WorkEstimate& estimate, std::uint64_t tag) {
    advance(now);
    Request request{tag, estimate, 0, 0, nullptr};
    if (settings_.queues <= 0) {
      if (!fits(max_seats(request))) return {QueueSet::Verdict::concurrency_limit, 0, -1};
      requests_[next_handle_] = request;
      start(next_handle_);
      return {QueueSet::Verdict::accepted, next_handle_++, -1};
    }
    const int index = choose(flow_hash);
    Queue* queue = queues_[static_cast<std::size_t>(index)].get();
    if (in_use_ >= settings_.concurrency_limit &&
        static_cast<std::int64_t>(queue->waiting.size()) >= settings_.queue_length_limit) {
      return {QueueSet::Verdict::queue_full, 0, -1};
    }
    request.queue = queue;
    request.arrival_r = r_;
    if (queue->waiting.empty() && queue->executing == 0) queue->next_dispatch_r = r_;
    requests_[next_handle_] = request;
    queue->waiting.push_back(next_handle_);
    seats_waiting_ += max_seats(request);
    demand_.set(last_, static_cast<double>(in_use_ + seats_waiting_));
    bound(*queue);
    dispatch_all();
    return {QueueSet::Verdict::accepted, next_handle_++, index};
  }

  bool finish(Nanos now, Handle handle) {
    advance(now);
    Request& request = requests_.at(handle);
    --executing_;
    const bool lingers = request.estimate.additional_latency > 0;
    if (Queue* queue = request.queue) {
      --queue->executing;
      queue->lingering += lingers;
      queue->next_dispatch_r -= work(request.estimate.initial_seats, kGuess - (now - request.start));
      bound(*queue);
    }
    lingering_ += lingers;
    if (!lingers) free_seats(handle);
    dispatch_all();
    return lingers;
  }

  void release(Nanos now, Handle handle) {
    advance(now);
    --lingering_;
    if (Queue* queue = requests_.at(handle).queue) --queue->lingering;
    free_seats(handle);
    dispatch_all();
  }

  void time_out(Nanos now, Handle handle) {
    advance(now);
    const Request request = requests_.at(handle);
    auto& waiting = request.queue->waiting;
    waiting.erase(std::find(waiting.begin(), waiting.end(), handle));
    seats_waiting_ -= max_seats(request);
    demand_.set(last_, static_cast<double>(in_use_ + seats_waiting_));
    bound(*request.queue);
    requests_.erase(handle);
  }

  void configure(Nanos now, const QueueSetSettings& settings) {
    advance(now);
    settings_ = settings;
    add_queues();
    dispatch_all();
  }

  const std::vector<QueueSet::Dispatch>& dispatched() const { return dispatched_; }
  SeatSeconds r() const { return r_; }
  SeatSeconds next_dispatch_r(int queue) const { return queues_[static_cast<std::size_t>(queue)]->next_dispatch_r; }
  int queue_count() const { return static_cast<int>(queues_.size()); }
  QueueSet::Counts counts() const {
    return {robin_, deals_, static_cast<int>(in_use_), seats_waiting_, requests_waiting(), executing_, lingering_};
  }
  std::int64_t requests_waiting() const {
    std::size_t sum = 0;
    for (const auto& queue : queues_) sum += queue->waiting.size();
    return static_cast<std::int64_t>(sum);
  }
  SeatDemandIntegrator& demand() { return demand_; }

 private:
  struct Queue {
    std::deque<Handle> waiting;
    int executing = 0, lingering = 0;
    std::int64_t in_use = 0;
    std::uint64_t next_dispatch_r = 0;
  };
  struct Request {
    std::uint64_t tag;
    WorkEstimate estimate;
    std::uint64_t arrival_r;
    Nanos start;
    Queue* queue;
    std::uint64_t total_work =
        work(estimate.initial_seats, kGuess) + work(estimate.final_seats, estimate.additional_latency);
  };

  static int max_seats(const Request& request) {
    return std::max(request.estimate.initial_seats, request.estimate.final_seats);
  }

  void add_queues() {
    while (queue_count() < settings_.queues) queues_.push_back(std::make_unique<Queue>());
  }

  void advance(Nanos now) {
    dispatched_.clear();
    std::int64_t seats = 0, active = 0;
    for (const auto& queue : queues_) {
      seats += queue->in_use;
      for (const Handle handle : queue->waiting) seats += max_seats(requests_.at(handle));
      active += !queue->waiting.empty() || queue->executing > 0;
    }
    const double wanted = static_cast<double>(std::min<std::int64_t>(seats, settings_.concurrency_limit));
    r_ += work(active == 0 ? 0 : wanted / static_cast<double>(active), now - last_);
    last_ = now;
    constexpr std::uint64_t kBack = (std::uint64_t{1} << 63) - 1;
    if (r_ < kBack + kBack / 2) return;
    r_ -= kBack;
    for (const auto& queue : queues_) {
      const bool is_active = !queue->waiting.empty() || queue->executing > 0;
      queue->next_dispatch_r = is_active ? queue->next_dispatch_r - kBack : 0;
      for (const Handle handle : queue->waiting) requests_.at(handle).arrival_r -= kBack;
    }
  }

  int choose(std::uint64_t flow_hash) {
    const auto hand = deal_hand(flow_hash, settings_.queues, settings_.hand_size);
    int best = -1;
    std::uint64_t least = UINT64_MAX;
    for (std::size_t i = 0; i < hand.size(); ++i) {
      const std::uint32_t index = hand[(deals_ + i) % hand.size()];
      std::uint64_t sum = 0;
      for (const Handle handle : queues_[index]->waiting) sum += requests_.at(handle).total_work;
      if (sum < least) {
        least = sum;
        best = static_cast<int>(index);
      }
    }
    ++deals_;
    return best;
  }

  bool fits(int seats) const {
    if (settings_.queues < 0) return true;
    if (seats > settings_.concurrency_limit) return executing_ == 0;
    return in_use_ + seats <= settings_.concurrency_limit;
  }

  void bound(Queue& queue) {
    if (queue.waiting.empty()) return;
    queue.next_dispatch_r = std::max(queue.next_dispatch_r, requests_.at(queue.waiting.front()).arrival_r);
  }

  void start(Handle handle) {
    Request& request = requests_.at(handle);
    request.start = last_;
    ++executing_;
    in_use_ += max_seats(request);
    demand_.set(last_, static_cast<double>(in_use_ + seats_waiting_));
    dispatched_.push_back({handle, request.tag, request.estimate.additional_latency});
  }

  void dispatch_all() {
    while (requests_waiting() > 0 && in_use_ < settings_.concurrency_limit) {
      int best = -1;
      std::uint64_t least = UINT64_MAX;
      for (int i = 0; i < queue_count(); ++i) {
        robin_ = (robin_ + 1) % queue_count();
        const Queue& queue = *queues_[static_cast<std::size_t>(robin_)];
        if (queue.waiting.empty()) continue;
        const std::uint64_t finish = queue.next_dispatch_r + requests_.at(queue.waiting.front()).total_work;
        if (finish < least) {
          least = finish;
          best = robin_;
        }
      }
      Queue& queue = *queues_.at(static_cast<std::size_t>(best));
      const Handle handle = queue.waiting.front();
      Request& request = requests_.at(handle);
      if (!fits(max_seats(request))) return;
      robin_ = best;
      queue.waiting.pop_front();
      WorkEstimate& estimate = request.estimate;
      if (estimate.final_seats > settings_.concurrency_limit) {
        const std::uint64_t final_work = work(estimate.final_seats, estimate.additional_latency);
        estimate.final_seats = settings_.concurrency_limit;
        estimate.additional_latency =
            static_cast<Nanos>(static_cast<double>(final_work) / estimate.final_seats * (1e9 / 1e8));
      }
      seats_waiting_ -= max_seats(request);
      queue.in_use += max_seats(request);
      ++queue.executing;
      start(handle);
      queue.next_dispatch_r += request.total_work;
      bound(queue);
    }
  }

  void free_seats(Handle handle) {
    const Request request = requests_.at(handle);
    requests_.erase(handle);
    in_use_ -= max_seats(request);
    demand_.set(last_, static_cast<double>(in_use_ + seats_waiting_));
    Queue* const queue = request.queue;
    if (!queue) return;
    queue->in_use -= max_seats(request);
    if (queue_count() <= settings_.queues || !queue->waiting.empty() || queue->executing > 0 || queue->lingering > 0) {
      return;
    }
    const auto at = std::find_if(queues_.begin(), queues_.end(), [&](const auto& q) { return q.get() == queue; });
    if (robin_ >= at - queues_.begin()) --robin_;
    queues_.erase(at);
  }

  QueueSetSettings settings_;
  std::vector<std::unique_ptr<Queue>> queues_;
  std::map<Handle, Request> requests_;
  Handle next_handle_ = 0;
  std::uint64_t r_ = 0, deals_ = 0;
  Nanos last_ = 0;
  int robin_ = 0;
  std::int64_t in_use_ = 0, seats_waiting_ = 0, executing_ = 0, lingering_ = 0;
  std::vector<QueueSet::Dispatch> dispatched_;
  SeatDemandIntegrator demand_;
};

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  bool one_in(int n) { return between(1, n) == 1; }

 private:
  std::mt19937_64 engine_;
};

QueueSetSettings random_settings(Draws& random, bool exempt) {
  QueueSetSettings s;
  s.queues = exempt ? -1 : random.one_in(6) ? 0 : static_cast<int>(random.between(1, random.one_in(4) ? 70 : 9));
  s.hand_size = s.queues <= 0 ? 0 : static_cast<int>(random.between(1, std::min(s.queues, 6)));
  s.queue_length_limit = static_cast<int>(random.between(1, 12));
  s.concurrency_limit = random.one_in(10) ? 0 : static_cast<int>(random.between(1, random.one_in(3) ? 30 : 5));
  return s;
}

Scenario random_scenario(Draws& random) {
  Scenario scenario;
  const bool exempt = random.one_in(20);
  // On a coarse clock many things happen at one instant; a slow and wide one makes R wrap around.
  const Nanos tick = random.one_in(2) ? kMillisecond : random.one_in(8) ? 100 * kSecond : 1;
  const Nanos second = tick == 1 ? kSecond : 1000 * tick;
  const int width = tick > kSecond ? 4'000'000 : static_cast<int>(random.between(1, 8));
  const bool lingering = random.one_in(2);
  const bool changing = random.one_in(2);
  scenario.settings = random_settings(random, exempt);
  if (tick > kSecond) scenario.settings.concurrency_limit = 4'000'000;
  const auto count = static_cast<int>(random.between(20, 300));
  const auto flows = random.between(1, 12);
  const auto time = [&](Nanos most) { return random.between(0, most / tick) * tick; };
  const Nanos pause = second / random.between(20, 200);
  Nanos now = 0;
  for (int i = 0; i < count; ++i) {
    now += time(pause);
    Scenario::Request request;
    request.arrival = now;
    request.flow_hash = static_cast<std::uint64_t>(random.between(1, flows)) * 0x9e3779b97f4a7c15;
    request.work.initial_seats = static_cast<int>(random.between(1, width));
    if (random.one_in(3)) request.work.final_seats = static_cast<int>(random.between(0, 2 * width));
    // Not more than the work of one request can hold.
    if (lingering && random.one_in(2)) request.work.additional_latency = time(tick > kSecond ? 20 * tick : second / 20);
    request.service = std::max(tick, time(second / 10));
    if (random.one_in(3)) request.time_out = now + time(second / 4);
    scenario.requests.push_back(request);
  }
  const auto changes = changing ? random.between(1, 8) : 0;
  for (std::int64_t i = 0; i < changes; ++i) {
    scenario.changes.push_back({time(now), random_settings(random, exempt)});
    if (tick > kSecond) scenario.changes.back().settings.concurrency_limit = 4'000'000;
  }
  std::sort(scenario.changes.begin(), scenario.changes.end(),
            [](const auto& a, const auto& b) { return a.time < b.time; });
  for (int i = 1; i <= 3; ++i) scenario.sample_times.push_back(now / 3 / tick * tick * i);
  return scenario;
}

bool same(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

template <class Fast, class Slow>
void compare(Fast& fast, Slow& slow) {
  REQUIRE(fast.now == slow.now);
  REQUIRE(fast.set.r() == slow.set.r());
  const QueueSet::Counts counts = fast.set.counts(), expected = slow.set.counts();
  REQUIRE(counts.robin == expected.robin);
  REQUIRE(counts.deals == expected.deals);
  REQUIRE(counts.seats_in_use == expected.seats_in_use);
  REQUIRE(counts.seats_waiting == expected.seats_waiting);
  REQUIRE(counts.waiting == expected.waiting);
  REQUIRE(counts.executing == expected.executing);
  REQUIRE(counts.lingering == expected.lingering);
  REQUIRE(fast.set.queue_count() == slow.set.queue_count());
  for (int i = 0; i < fast.set.queue_count(); ++i) {
    if (fast.set.next_dispatch_r(i) != slow.set.next_dispatch_r(i)) FAIL("nextDispatchR of queue " << i);
  }
}

TEST_CASE("the queue set agrees with a slow model", "[schedule][property]") {
  const std::uint64_t first = seed();
  int wound_back = 0, removed = 0, lingered = 0, refused = 0, timed_out = 0;
  for (std::uint64_t n = 0; n < apf::test::rounds<std::uint64_t>(400); ++n) {
    INFO("APF_TEST_SEED=" << first << ", scenario " << n);
    Draws random(first + n * 0x9e3779b97f4a7c15);
    const Scenario scenario = random_scenario(random);
    Driver<QueueSet> fast(scenario);
    Driver<Model> slow(scenario);
    SeatSeconds last_r = 0;
    int last_count = fast.set.queue_count();
    for (bool more = true; more;) {
      more = fast.step();
      REQUIRE(slow.step() == more);
      compare(fast, slow);
      wound_back += fast.set.r() < last_r;
      removed += fast.set.queue_count() < last_count;
      last_r = fast.set.r();
      last_count = fast.set.queue_count();
    }
    REQUIRE(fast.outcomes == slow.outcomes);
    REQUIRE(fast.samples.size() == slow.samples.size());
    for (std::size_t i = 0; i < fast.samples.size(); ++i) {
      REQUIRE(same(fast.samples[i].demand.avg, slow.samples[i].demand.avg));
      REQUIRE(same(fast.samples[i].demand.stdev, slow.samples[i].demand.stdev));
      REQUIRE(same(fast.samples[i].demand.min, slow.samples[i].demand.min));
      REQUIRE(same(fast.samples[i].demand.max, slow.samples[i].demand.max));
    }
    refused += static_cast<int>(fast.refused);
    timed_out += static_cast<int>(fast.timed_out);
    for (const Outcome& outcome : fast.outcomes) lingered += outcome.release > outcome.finish;
  }
  INFO("APF_TEST_SEED=" << first);
  // The scenarios are worth their time only if they get everywhere.
  CAPTURE(wound_back, removed, lingered, refused, timed_out);
  CHECK(wound_back > apf::test::rounds(10));
  CHECK(removed > apf::test::rounds(50));
  CHECK(lingered > apf::test::rounds(500));
  CHECK(refused > apf::test::rounds(500));
  CHECK(timed_out > apf::test::rounds(500));
}

}  // namespace
}  // namespace apf::test
