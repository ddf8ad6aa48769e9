// What the metrics of a run are made of: counters, gauges and histograms, in the terms of kube-apiserver
// (k8s.io/apiserver/pkg/util/flowcontrol/metrics and pkg/endpoints/metrics, v1.36, and what earlier releases had).
// MetricsBook keeps them; families_of() gives them their names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <apf/replay.h>

#include "base/releases.h"
#include "replay/books/histograms.h"
#include "replay/prepare/prepared.h"
#include "schedule/controller.h"

namespace apf {

struct MetricCounters {
  struct Level {
    Level();
    LevelRound last;
    bool exempt = false;
    TimingRatio demand, seats, executing, waiting;
  };
  // A level and a FlowSchema that met.
  struct Pair {
    Pair(LevelId l, std::uint32_t s, KubeVersion version);
    LevelId level;
    std::uint32_t schema;
    bool ran = false, queued = false;
    std::uint64_t dispatched = 0, not_accommodated = 0;
    OutcomeCounts refused;
    std::int64_t waiting = 0, waiting_seats = 0, executing = 0, executing_seats = 0;
    BucketCounts queue_length, wait_executed, wait_refused, regular, watch, watches, seats;
  };
  struct Kind {  // read-only or mutating requests
    Kind();
    TimingRatio executing, waiting;
    // Now, and the most of the running second and of the one before.
    struct Number {
      std::int64_t now = 0, high = 0, last_high = 0;
      void add(int change) { high = std::max(high, now += change); }
    };
    Number in_flight, in_queue;
    std::uint64_t dropped = 0;
  };
  // What a request is for, as the server's metrics of requests part them.
  struct ForEndpoint {
    ForEndpoint();
    std::map<int, std::uint64_t> codes;  // of answers
    std::uint64_t terminated = 0;        // refused by API Priority and Fairness
    std::int64_t open = 0;               // watches
    BucketCounts duration;
  };

  void begin(KubeVersion of, Nanos start);
  // Time goes by: the server looks once a second how many were in flight at most.
  void advance(Nanos to) {
    now = std::max(now, to);
    const Nanos in_second = (now - start) / kSecond;
    if (in_second != second) turn(in_second);
  }
  // All that is counted over time is up to date.
  void close();

  Level& level(LevelId id) { return id < levels.size() ? *levels[id] : add_level(id); }
  Pair& pair(LevelId level, std::uint32_t schema) {
    if (level >= pair_by_level_.size() || schema >= pair_by_level_[level].size()) return add_pair(level, schema);
    const std::uint32_t number = pair_by_level_[level][schema];
    return number != 0 ? *pairs[number - 1] : add_pair(level, schema);
  }
  Kind& kind(bool mutating) { return kinds[mutating ? 0 : 1]; }
  // The release's histograms are of a value each millisecond, rather than of each nanosecond.
  bool takes_samples() const { return !has(version, Feature::utilization_metrics); }
  // Null for number 0: nobody asks.
  ForEndpoint* endpoint(std::uint32_t number);

  KubeVersion version;
  Nanos now = 0, start = 0, second = 0;
  double fair_frac = 0;
  std::vector<std::unique_ptr<Level>> levels;           // by id
  std::vector<std::unique_ptr<Pair>> pairs;             // in the order they met
  Kind kinds[2];                                        // mutating, readOnly
  std::vector<std::unique_ptr<ForEndpoint>> endpoints;  // by number

 private:
  void turn(Nanos in_second);
  Level& add_level(LevelId id);
  Pair& add_pair(LevelId level, std::uint32_t schema);

  std::vector<std::vector<std::uint32_t>> pair_by_level_;  // 1 + index into pairs, by level and schema
};

// All of it so far, in the order of names: names, types and labels are those of the counters' release. The server's own
// words are in spec, ours in `help`. `schema_names`, `endpoints`: by number.
std::vector<MetricFamily> families_of(const MetricCounters& counters, Controller& controller,
                                      const std::vector<std::string>& schema_names,
                                      const std::vector<Endpoint>& endpoints);

}  // namespace apf
