// How many requests a second one core schedules under a sustained overload: each request arrives, is dealt a queue,
// waits or is refused or times out, is dispatched and finishes, driven by an event heap. Prints one line per claim.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <apf/queue_set.h>
#include <apf/shard.h>

#include "support/queue_set_driver.h"

namespace {

using apf::Nanos;
using apf::QueueSet;
using apf::test::Event;
using apf::test::EventHeap;
using apf::test::EventKind;

constexpr int kRequests = 1'000'000;
constexpr int kFlows = 4096;
constexpr int kRepetitions = 7;

struct Load {
  std::vector<std::uint64_t> flow_hashes;  // of each request
  std::vector<Nanos> services;
  Nanos spacing = 0;  // of arrivals
};

std::uint64_t mix(std::uint64_t& state) {  // splitmix64
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Twice as much work as `seats` can do.
Load overload(int seats) {
  Load load;
  std::uint64_t state = 1;
  std::vector<std::uint64_t> flows(kFlows);
  for (auto& flow : flows) flow = mix(state);
  load.flow_hashes.resize(kRequests);
  load.services.resize(kRequests);
  constexpr Nanos kMean = 10 * apf::kMillisecond;
  for (int i = 0; i < kRequests; ++i) {
    const auto at = static_cast<std::size_t>(i);
    // Half of the traffic from an eighth of the flows.
    const std::uint64_t draw = mix(state);
    load.flow_hashes[at] = flows[(draw >> 32) % ((draw & 1) != 0 ? kFlows / 8 : kFlows)];
    load.services[at] = kMean / 2 + static_cast<Nanos>(mix(state) % kMean);
  }
  load.spacing = kMean / seats / 2;
  return load;
}

struct Tally {
  std::int64_t executed = 0, refused = 0, timed_out = 0;
};

Tally run(const Load& load, int queues, int seats) {
  constexpr Nanos kPatience = apf::kSecond;
  QueueSet set({queues, 6, 50, seats});
  EventHeap heap;
  std::vector<QueueSet::Handle> handles(kRequests);
  std::vector<bool> waiting(kRequests);
  Tally tally;
  const auto start = [&](Nanos now) {
    for (const auto& dispatch : set.dispatched()) {
      const auto i = static_cast<std::size_t>(dispatch.tag);
      waiting[i] = false;
      heap.push(now + load.services[i], EventKind::finish, dispatch.tag);
      ++tally.executed;
    }
  };
  // Wait limits are equal, so they fall due in the order of arrival: a queue of them needs no heap.
  std::size_t next_limit = 0;
  const auto end_waits = [&](Nanos now) {
    while (static_cast<Nanos>(next_limit) * load.spacing + kPatience <= now) {
      const std::size_t i = next_limit++;
      if (i >= kRequests || !waiting[i]) continue;
      waiting[i] = false;
      set.time_out(static_cast<Nanos>(i) * load.spacing + kPatience, handles[i]);
      ++tally.timed_out;
    }
  };
  const auto finish_until = [&](Nanos limit) {
    while (!heap.empty() && heap.top().time <= limit) {
      const Event event = heap.top();
      end_waits(event.time - 1);
      heap.pop();
      set.finish(event.time, handles[static_cast<std::size_t>(event.subject)]);
      start(event.time);
    }
  };
  for (std::size_t i = 0; i < kRequests; ++i) {
    const Nanos now = static_cast<Nanos>(i) * load.spacing;
    finish_until(now);
    end_waits(now);
    const auto arrival = set.arrive(now, load.flow_hashes[i], {1, 0, 0}, i);
    if (arrival.verdict != QueueSet::Verdict::accepted) {
      ++tally.refused;
      continue;
    }
    handles[i] = arrival.handle;
    waiting[i] = true;
    start(now);
  }
  finish_until(INT64_MAX);
  return tally;
}

// Millions of requests a second, the median of several runs.
double rate(const Load& load, int queues, int seats) {
  std::vector<double> rates;
  for (int i = 0; i < kRepetitions; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const Tally tally = run(load, queues, seats);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (tally.executed + tally.refused + tally.timed_out != kRequests) return 0;
    if (i == 0) {
      std::printf("schedule: %d queues: %lld executed, %lld refused, %lld timed out\n", queues,
                  static_cast<long long>(tally.executed), static_cast<long long>(tally.refused),
                  static_cast<long long>(tally.timed_out));
    }
    rates.push_back(kRequests / took.count() / 1e6);
  }
  std::nth_element(rates.begin(), rates.begin() + kRepetitions / 2, rates.end());
  return rates[kRepetitions / 2];
}

}  // namespace

int main() {
  constexpr int kSeats = 100;
  const Load load = overload(kSeats);
  const double few = rate(load, 16, kSeats);
  const double usual = rate(load, 128, kSeats);
  const double many = rate(load, 1024, kSeats);
  std::printf("schedule: 128 queues %.1f M requests/s (floor 2 M/s)\n", usual);
  std::printf("schedule: 1024 vs 16 queues %.2fx (ceiling 2x)\n", few / many);
  return usual >= 2 && few / many <= 2 ? 0 : 1;
}
