// QueueSet in small cases that say what it is for; the vectors and the slow model hold it to the last unit.
#include "schedule/queue_set.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <apf/hand.h>

#include "catch.h"
#include "schedule/queue_table.h"
#include "schedule/work.h"
#include "support/vectors.h"

namespace apf::test {
namespace {

using Handle = QueueSet::Handle;
using Verdict = QueueSet::Verdict;

constexpr WorkEstimate kNarrow{1, 0, 0};

std::vector<std::uint64_t> tags(const QueueSet& set) {
  std::vector<std::uint64_t> all;
  for (const auto& dispatch : set.dispatched()) all.push_back(dispatch.tag);
  return all;
}

using Tags = std::vector<std::uint64_t>;

TEST_CASE("work in seat-seconds and back", "[schedule]") {
  CHECK(seats_times_duration(4, 1733269057) == 693307623);
  CHECK(seats_times_duration(1, 5) == 1);  // half away from zero
  CHECK(seats_times_duration(1, 4) == 0);
  CHECK(seats_times_duration(1, -5) == SeatSeconds(0) - 1);  // wraps
  CHECK(seats_times_duration(2, -kSecond) == SeatSeconds(0) - 200'000'000);
  CHECK(seats_times_duration(0.3, 10) == 0);
  CHECK(duration_per_seat(693307623, 14) == 495219730);
  CHECK(duration_per_seat(1, 3) == 3);
  CHECK(duration_per_seat(1, 0) == std::numeric_limits<Nanos>::min());  // no trap
  // What is no number of units comes out as Go's conversion gives it on amd64.
  CHECK(seats_times_duration(1.5e9, std::numeric_limits<Nanos>::max() / (Nanos{1} << 28)) > SeatSeconds{1} << 62);
  CHECK(seats_times_duration(1e3, std::numeric_limits<Nanos>::max()) == 0);
  CHECK(seats_times_duration(-1e3, std::numeric_limits<Nanos>::max()) == SeatSeconds{1} << 63);
  CHECK(format_seat_seconds(693307623) == "6.93307623ss");
  CHECK(format_seat_seconds(260) == "0.00000260ss");
  CHECK(format_seat_seconds(std::numeric_limits<SeatSeconds>::max()) == "184467440737.09551615ss");
}

TEST_CASE("demand over an empty period has no average", "[schedule]") {
  SeatDemandIntegrator demand(5 * kSecond);
  demand.set(5 * kSecond, 3);
  SeatDemandStats stats = demand.get(5 * kSecond);
  CHECK(stats.duration == 0);
  CHECK(std::isnan(stats.avg));
  CHECK(std::isnan(stats.stdev));
  CHECK(stats.max == 3);
  stats = demand.reset(7 * kSecond);
  CHECK(stats.duration == 2);
  CHECK(stats.avg == 3);
  CHECK(stats.min == 0);
  CHECK(demand.get(8 * kSecond).min == 3);
}

TEST_CASE("an exempt set has no limit but counts seats", "[schedule]") {
  QueueSet set({-1, 0, 0, 0});
  const auto first = set.arrive(0, 7, {20, 0, 0}, 1);
  CHECK(first.verdict == Verdict::accepted);
  CHECK(first.queue == -1);
  CHECK(tags(set) == Tags{1});
  const auto second = set.arrive(kSecond, 7, {5, 0, kSecond}, 2);
  CHECK(set.counts().seats_in_use == 25);
  CHECK_FALSE(set.finish(2 * kSecond, first.handle));
  CHECK(set.finish(2 * kSecond, second.handle));
  CHECK(set.counts().seats_in_use == 5);
  CHECK_FALSE(set.counts().idle());
  set.release(3 * kSecond, second.handle);
  CHECK(set.counts().idle());
  CHECK(set.demand().get(3 * kSecond).max == 25);
  CHECK(set.counts().deals == 0);
  CHECK(set.r() == 0);
}

TEST_CASE("a rejecting set refuses what does not fit", "[schedule]") {
  QueueSet set({0, 0, 0, 3});
  const auto first = set.arrive(0, 0, {2, 0, 0}, 1);
  CHECK(set.arrive(1, 0, {2, 0, 0}, 2).verdict == Verdict::concurrency_limit);
  CHECK(set.dispatched().empty());
  CHECK(set.arrive(1, 0, kNarrow, 3).verdict == Verdict::accepted);
  set.finish(2, first.handle);
  // Wider than the limit: only when nothing runs.
  CHECK(set.arrive(3, 0, {9, 0, 0}, 4).verdict == Verdict::concurrency_limit);
  QueueSet closed({0, 0, 0, 0});
  CHECK(closed.arrive(0, 0, kNarrow, 1).verdict == Verdict::accepted);
  CHECK(closed.arrive(0, 0, kNarrow, 2).verdict == Verdict::concurrency_limit);
}

TEST_CASE("a full queue refuses only while the seats are taken", "[schedule]") {
  QueueSet set({1, 1, 1, 1});
  const auto running = set.arrive(0, 0, kNarrow, 1);
  CHECK(running.queue == 0);
  CHECK(set.arrive(1, 0, kNarrow, 2).verdict == Verdict::accepted);
  const auto refused = set.arrive(2, 0, kNarrow, 3);
  CHECK(refused.verdict == Verdict::queue_full);
  CHECK(refused.queue == -1);
  CHECK(set.counts().deals == 3);
  CHECK(set.counts().waiting == 1);
  set.finish(3, running.handle);
  CHECK(tags(set) == Tags{2});
}

TEST_CASE("no seats, no dispatch, until the limit is raised", "[schedule]") {
  QueueSet set({4, 1, 10, 0});
  CHECK(set.arrive(0, 1, kNarrow, 1).verdict == Verdict::accepted);
  CHECK(set.arrive(0, 1, kNarrow, 2).verdict == Verdict::accepted);
  CHECK(set.dispatched().empty());
  set.configure(5, {4, 1, 10, 1});
  CHECK(tags(set) == Tags{1});
  CHECK(set.settings().concurrency_limit == 1);
}

TEST_CASE("queues take turns", "[schedule]") {
  QueueSet set({2, 1, 10, 1});
  const std::uint32_t left[] = {0}, right[] = {1};
  const auto running = set.arrive(0, left, kNarrow, 0);
  for (std::uint64_t tag = 1; tag <= 3; ++tag) set.arrive(0, left, kNarrow, tag);
  set.arrive(0, right, kNarrow, 11);
  set.arrive(0, right, kNarrow, 12);
  Handle handle = running.handle;
  Tags order;
  for (Nanos now = 3 * kMillisecond; set.counts().waiting > 0; now += 3 * kMillisecond) {
    set.finish(now, handle);
    REQUIRE(set.dispatched().size() == 1);
    handle = set.dispatched()[0].handle;
    order.push_back(set.dispatched()[0].tag);
  }
  CHECK(order == Tags{11, 1, 12, 2, 3});
}

TEST_CASE("a hand dealt by the caller counts as the hash's", "[schedule]") {
  QueueSet by_hash({64, 6, 10, 3}), by_hand({64, 6, 10, 3});
  for (std::uint64_t i = 0; i < 40; ++i) {
    const std::uint64_t hash = flow_hash("workload-low", std::to_string(i % 5));
    const auto a = by_hash.arrive(static_cast<Nanos>(i), hash, kNarrow, i);
    const auto b = by_hand.arrive(static_cast<Nanos>(i), deal_hand(hash, 64, 6), kNarrow, i);
    CHECK(a.queue == b.queue);
    CHECK(a.verdict == b.verdict);
  }
  CHECK(by_hash.counts().deals == 40);
  CHECK(by_hand.r() == by_hash.r());
}

// The hash's way is shorter where nothing waits; the hand's is always the long one.
TEST_CASE("a request that starts at once leaves the set as a waiting one does", "[schedule]") {
  INFO("APF_TEST_SEED=" << seed());
  std::mt19937_64 random(seed());
  int at_once = 0, waited = 0;
  for (int limit : {1, 3, 12, 40}) {
    QueueSet by_hash({16, 4, 10, limit}), by_hand({16, 4, 10, limit});
    std::vector<Handle> running;
    Nanos now = 0;
    const auto note = [&] {
      REQUIRE(tags(by_hash) == tags(by_hand));
      for (const auto& dispatch : by_hash.dispatched()) running.push_back(dispatch.handle);
    };
    for (std::uint64_t i = 0; i < 3000; ++i) {
      now += static_cast<Nanos>(random() % 3 * (random() % 2'000'000));
      if (random() % 2 != 0 && !running.empty()) {
        std::swap(running[random() % running.size()], running.back());
        const Handle handle = running.back();
        running.pop_back();
        const bool lingers = by_hash.finish(now, handle);
        REQUIRE(by_hand.finish(now, handle) == lingers);
        note();
        if (lingers) {
          by_hash.release(now, handle);
          by_hand.release(now, handle);
          note();
        }
      } else {
        const WorkEstimate work{1 + static_cast<int>(random() % 4), static_cast<int>(random() % 5),
                                static_cast<Nanos>(random() % 3 * 700'001)};
        const std::uint64_t hash = random();
        const bool free = by_hash.counts().waiting == 0;
        const auto a = by_hash.arrive(now, hash, work, i);
        const auto b = by_hand.arrive(now, deal_hand(hash, 16, 4), work, i);
        REQUIRE(a.verdict == b.verdict);
        REQUIRE(a.handle == b.handle);
        REQUIRE(a.queue == b.queue);
        (free && by_hash.counts().waiting == 0 ? at_once : waited) += 1;
        note();
      }
      REQUIRE(by_hash.r() == by_hand.r());
      REQUIRE(by_hash.counts().robin == by_hand.counts().robin);
      REQUIRE(by_hash.counts().deals == by_hand.counts().deals);
      REQUIRE(by_hash.counts().seats_in_use == by_hand.counts().seats_in_use);
      REQUIRE(by_hash.counts().seats_waiting == by_hand.counts().seats_waiting);
      for (int q = 0; q < 16; ++q) {
        if (by_hash.next_dispatch_r(q) != by_hand.next_dispatch_r(q)) FAIL("nextDispatchR of queue " << q);
      }
    }
    const SeatDemandStats a = by_hash.demand().get(now), b = by_hand.demand().get(now);
    CHECK(std::memcmp(&a, &b, sizeof a) == 0);
  }
  CAPTURE(at_once, waited);
  CHECK(at_once > 500);
  CHECK(waited > 500);
}

TEST_CASE("whole seats work as in doubles", "[schedule]") {
  INFO("APF_TEST_SEED=" << seed());
  std::mt19937_64 random(seed());
  int differ = 0;
  for (int i = 0; i < 200'000; ++i) {
    const int seats = static_cast<int>(random() % (1u << random() % 12));
    const auto duration = static_cast<Nanos>(random() >> (16 + random() % 48)) * (random() % 2 == 0 ? 1 : -1);
    differ += work_of(seats, duration) != work_of(static_cast<double>(seats), duration);
    differ += work_of(seats, duration) != static_cast<SeatSeconds>(static_cast<std::int64_t>(std::round(
                                              static_cast<double>(seats) * static_cast<double>(duration) / 10)));
  }
  CHECK(differ == 0);
}

TEST_CASE("too wide a final part is reshaped to the limit", "[schedule]") {
  QueueSet set({1, 1, 10, 4});
  const auto arrival = set.arrive(0, 0, {1, 10, kSecond}, 1);
  REQUIRE(set.dispatched().size() == 1);
  // 10 seats for 1 s are 4 seats for 2.5 s.
  CHECK(set.dispatched()[0].additional_latency == 2'500'000'000);
  CHECK(set.counts().seats_in_use == 4);
  CHECK(set.counts().seats_waiting == 6);  // never goes away, as in the server
  CHECK(set.finish(kSecond, arrival.handle));
  CHECK(set.counts().executing == 0);
  CHECK(set.counts().seats_in_use == 4);
  CHECK_FALSE(set.counts().idle());
  set.release(kSecond + 2'500'000'000, arrival.handle);
  CHECK(set.counts().idle());
}

TEST_CASE("a request that gives up leaves the middle of its queue", "[schedule]") {
  QueueSet set({1, 1, 10, 1});
  const auto running = set.arrive(0, 0, kNarrow, 1);
  const auto second = set.arrive(1, 0, kNarrow, 2);
  const auto third = set.arrive(2, 0, kNarrow, 3);
  const auto fourth = set.arrive(3, 0, kNarrow, 4);
  set.time_out(4, third.handle);
  CHECK(set.dispatched().empty());
  CHECK(set.counts().waiting == 2);
  CHECK(set.counts().seats_waiting == 2);
  set.time_out(5, fourth.handle);
  set.arrive(6, 0, kNarrow, 5);
  set.finish(7, running.handle);
  CHECK(tags(set) == Tags{2});
  set.finish(8, second.handle);
  CHECK(tags(set) == Tags{5});
}

TEST_CASE("a queue goes once, when nothing of it lingers", "[schedule]") {
  // Here the server may remove another queue by a stale index.
  QueueSet set({3, 1, 10, 10});
  const std::uint32_t first[] = {0}, second[] = {1};
  const WorkEstimate lingering{1, 1, kSecond};
  const auto a = set.arrive(0, first, lingering, 1);
  const auto b = set.arrive(0, first, lingering, 2);
  const auto c = set.arrive(0, second, kNarrow, 3);
  set.configure(1, {1, 1, 10, 10});
  CHECK(set.queue_count() == 3);
  CHECK(set.finish(2, a.handle));
  CHECK(set.finish(3, b.handle));
  set.release(2 + kSecond, a.handle);
  CHECK(set.queue_count() == 3);
  set.release(3 + kSecond, b.handle);
  CHECK(set.queue_count() == 2);
  set.finish(4 + kSecond, c.handle);
  CHECK(set.queue_count() == 1);
  CHECK(set.counts().idle());
}

TEST_CASE("a level turned to Reject serves what it still holds", "[schedule]") {
  QueueSet set({2, 1, 10, 1});
  const auto running = set.arrive(0, 0, kNarrow, 1);
  set.arrive(0, 0, kNarrow, 2);
  set.configure(1, {0, 0, 0, 1});
  CHECK(set.arrive(2, 0, kNarrow, 3).verdict == Verdict::concurrency_limit);
  set.finish(3, running.handle);
  REQUIRE(tags(set) == Tags{2});
  set.finish(4, set.dispatched()[0].handle);
  CHECK(set.counts().idle());
  CHECK(set.queue_count() == 1);  // one never held anything more
  set.configure(5, {4, 2, 10, 1});
  CHECK(set.queue_count() == 4);
}

TEST_CASE("a queue set can be moved", "[schedule]") {
  QueueSet set({2, 1, 10, 1}, kSecond);
  const auto running = set.arrive(kSecond, 0, kNarrow, 1);
  QueueSet moved = std::move(set);
  set = QueueSet({0, 0, 0, 1});
  moved.finish(2 * kSecond, running.handle);
  CHECK(moved.counts().idle());
  CHECK(moved.r() > 0);
  CHECK(set.r() == 0);
}

TEST_CASE("queues that come and go take no more memory", "[schedule]") {
  QueueTable queues(4);
  const RequestTable requests;
  queues.begin();
  for (int i = 0; i < 50; ++i) {
    for (int gone = 0; gone < 2; ++gone) {
      const std::uint32_t slot = queues.slot_of(1);
      queues.at(slot).index = 1;
      CHECK(queues.remove(slot, requests) == 1);
    }
    queues.add(2, requests);
  }
  CHECK(queues.count() == 4);
  CHECK(queues.slots() == 4);
  queues.add(3, requests);
  std::set<std::uint32_t> slots;
  for (std::size_t index = 0; index < 7; ++index) slots.insert(queues.slot_of(index));
  CHECK(slots.size() == 7);
  CHECK(*slots.rbegin() < queues.slots());
}

}  // namespace
}  // namespace apf::test
