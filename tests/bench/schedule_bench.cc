// How many requests a second one core schedules under a sustained overload, twice what the seats can do: each request
// arrives, is dealt a queue, waits, is dispatched and finishes, or is refused or times out, driven by an event heap.
// Prints one line per claim.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "schedule/queue_set.h"

#include "support/queue_set_driver.h"

namespace {

using apf::Nanos;
using apf::QueueSet;
using apf::QueueSetSettings;
using apf::test::Event;
using apf::test::EventHeap;
using apf::test::EventKind;

constexpr int kRequests = 1'000'000;
constexpr int kFlows = 4096;
constexpr int kRepetitions = 7;
constexpr int kSeats = 100;

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

Load overload() {
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
  load.spacing = kMean / kSeats / 2;
  return load;
}

struct Tally {
  std::int64_t executed = 0, refused = 0, timed_out = 0;
};

Tally run(const Load& load, const QueueSetSettings& settings) {
  constexpr Nanos kPatience = apf::kSecond;
  QueueSet set(settings);
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

// Millions of requests a second.
double rate(const Load& load, const QueueSetSettings& settings, Tally& tally) {
  const auto begin = std::chrono::steady_clock::now();
  tally = run(load, settings);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (tally.executed + tally.refused + tally.timed_out != kRequests) std::abort();
  return kRequests / took.count() / 1e6;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

struct Result {
  double usual = 0;        // M requests/s at 128 queues
  double many_by_few = 0;  // time at 1,024 queues by time at 16
};

// Together the queues hold `room` requests, however many they are, so that as many wait and are refused with few
// queues as with many. Runs alternate, so that a noisy neighbour spoils all alike.
Result measure(const char* name, const Load& load, int room) {
  constexpr int kCounts[] = {16, 128, 1024};
  std::vector<double> usual, ratio;
  for (int round = 0; round < kRepetitions; ++round) {
    double rates[3];
    for (int i = 0; i < 3; ++i) {
      Tally tally;
      rates[i] = rate(load, {kCounts[i], 6, std::max(1, room / kCounts[i]), kSeats}, tally);
      if (round > 0) continue;
      std::printf("schedule: %s, %d queues: %lld executed, %lld refused, %lld timed out\n", name, kCounts[i],
                  static_cast<long long>(tally.executed), static_cast<long long>(tally.refused),
                  static_cast<long long>(tally.timed_out));
    }
    usual.push_back(rates[1]);
    ratio.push_back(rates[0] / rates[2]);
  }
  return {median(usual), median(ratio)};
}

}  // namespace

int main() {
  const Load load = overload();
  const Result refusing = measure("short queues", load, 6400);
  const Result waiting = measure("long queues", load, 10 * kRequests);
  const double usual = std::min(refusing.usual, waiting.usual);
  const double ratio = std::max(refusing.many_by_few, waiting.many_by_few);
  std::printf("schedule: 128 queues, half refused %.1f M requests/s\n", refusing.usual);
  std::printf("schedule: 128 queues, half timed out %.1f M requests/s\n", waiting.usual);
  std::printf("schedule: 128 queues %.1f M requests/s (floor 2 M/s)\n", usual);
  std::printf("schedule: 1024 vs 16 queues %.2fx (ceiling 2x)\n", ratio);
  return usual >= 2 && ratio <= 2 ? 0 : 1;
}
