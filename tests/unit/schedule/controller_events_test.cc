// The queues of events keep the order of time and of scheduling, for any mix.
#include "catch.h"

#include <algorithm>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "schedule/end_queue.h"
#include "support/vectors.h"

using apf::Deadline;
using apf::Nanos;

TEST_CASE("the heap hands out by time, ends of lingering last, then as scheduled", "[schedule][controller]") {
  std::mt19937_64 random(apf::test::seed());
  INFO("APF_TEST_SEED=" << apf::test::seed());
  apf::TimedHeap<apf::TimedEvent> heap;
  std::set<std::tuple<Nanos, bool, std::uint64_t, std::uint32_t>> expected;
  for (std::uint64_t order = 0; order < 20000; ++order) {
    if (random() % 3 != 0 || expected.empty()) {
      const Nanos time = static_cast<Nanos>(random() % 1000) - 500;
      const bool lingering = random() % 2 == 0;
      const auto slot = static_cast<std::uint32_t>(random() % apf::TimedEvent::kSlots);
      heap.push(apf::TimedEvent(time, lingering, order, slot));
      expected.emplace(time, lingering, order, slot);
    } else {
      const auto [time, lingering, scheduled, slot] = *expected.begin();
      REQUIRE(heap.next_time() == time);
      const apf::TimedEvent event = heap.top();
      heap.pop();
      REQUIRE(event.time == time);
      REQUIRE(event.lingering() == lingering);
      REQUIRE(event.slot() == slot);
      expected.erase(expected.begin());
    }
    if (order == 10000) {
      heap.remove_if([](const apf::TimedEvent& e) { return e.slot() % 2 == 0; });
      std::erase_if(expected, [](const auto& e) { return std::get<3>(e) % 2 == 0; });
    }
    REQUIRE(heap.size() == expected.size());
  }
}

// Microseconds to minutes later than the last one, so that ends come to the heaps and to all slots, around the ring.
TEST_CASE("ends are handed out by time, however much later they come", "[schedule][controller]") {
  std::mt19937_64 random(apf::test::seed());
  INFO("APF_TEST_SEED=" << apf::test::seed());
  apf::EndQueue queue;
  std::set<std::tuple<Nanos, std::uint64_t>> expected;
  Nanos now = -20 * apf::kSecond;
  for (std::uint64_t order = 0; order < 300000; ++order) {
    const std::uint64_t most = random() % 200 == 0 ? 1 : order / 50000 % 2 == 0 ? 2000 : 3;
    if (expected.size() < most && random() % 5 != 0) {
      const apf::TimedEvent event(now + static_cast<Nanos>(random() % (std::uint64_t{1} << random() % 37)),
                                  random() % 4 == 0, order, static_cast<std::uint32_t>(random() % 1000));
      queue.push(event);
      expected.emplace(event.time, event.order);
    } else if (!expected.empty()) {
      now = queue.next_time();
      REQUIRE(std::tuple(now, queue.top().order) == *expected.begin());
      queue.pop();
      expected.erase(expected.begin());
    }
    REQUIRE(queue.next_time() == (expected.empty() ? apf::kNever : std::get<0>(*expected.begin())));
  }
  CHECK(now > 100 * apf::kSecond);
}

// Deadlines of three common wait limits and some odd ones, most of them void before they come.
TEST_CASE("lanes of deadlines agree with a sorted set and stay small", "[schedule][controller]") {
  std::mt19937_64 random(apf::test::seed());
  INFO("APF_TEST_SEED=" << apf::test::seed());
  apf::DeadlineQueue queue;
  std::set<std::tuple<Nanos, std::uint64_t, std::uint32_t>> live;  // time, order, slot
  std::vector<std::uint32_t> generation(64, 0);
  std::vector<bool> waits(64, false);
  const auto stale = [&](const Deadline& d) { return generation[d.slot] != d.generation; };
  std::uint64_t order = 0;
  Nanos now = 0;
  int due = 0;
  for (int i = 0; i < 200000; ++i) {
    now += static_cast<Nanos>(random() % 5);
    while (queue.next_time() <= now) {
      const Deadline d = queue.pop();
      if (stale(d)) {
        queue.forget_stale();
        continue;
      }
      REQUIRE_FALSE(live.empty());
      REQUIRE(std::tuple(d.time, d.order, d.slot) == *live.begin());
      live.erase(live.begin());
      ++generation[d.slot];
      waits[d.slot] = false;
      ++due;
    }
    REQUIRE((live.empty() || std::get<0>(*live.begin()) > now));
    const auto slot = static_cast<std::uint32_t>(random() % waits.size());
    if (waits[slot]) {
      ++generation[slot];
      waits[slot] = false;
      std::erase_if(live, [&](const auto& e) { return std::get<2>(e) == slot; });
      queue.note_stale();
      if (queue.wants_sweep()) queue.sweep(stale);
    } else {
      const Nanos limits[] = {150, 150, 150, 600, 50, static_cast<Nanos>(random() % 1000)};
      const Deadline d{now + limits[random() % 6], order++, slot, generation[slot]};
      queue.push(d);
      waits[slot] = true;
      live.emplace(d.time, d.order, d.slot);
    }
    REQUIRE(queue.size() <= 2 * live.size() + 66);
  }
  CHECK(due > 1000);
}
