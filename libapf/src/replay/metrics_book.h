// What kube-apiserver would export of a run: counters, gauges and histograms by priority level and FlowSchema
// (k8s.io/apiserver/pkg/util/flowcontrol/metrics and pkg/endpoints/metrics, v1.36, and what earlier releases had).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <apf/replay.h>

#include "base/releases.h"
#include "replay/histograms.h"
#include "replay/run_observer.h"

namespace apf {

class MetricsBook final : public RunObserver {
 public:
  MetricsBook();

  void on_begin(Controller& controller, Nanos first_arrival) override;
  void on_arrive(Nanos now, const LiveRequest& request, std::int64_t watches) override;
  void on_enqueue(Nanos now, const LiveRequest& request, int length) override;
  void on_dispatch(Nanos now, const LiveRequest& request) override;
  void on_finish(Nanos now, const LiveRequest& request) override;
  void on_release(Nanos now, const LiveRequest& request) override;
  void on_refuse(Nanos now, const LiveRequest& request, Outcome outcome) override;
  void on_no_accommodation(Nanos now, const LiveRequest& request, std::uint64_t times) override;
  void on_round(const Round& round) override;
  void on_watch_end(Nanos now, std::uint32_t endpoint, Nanos since) override;
  // Time goes by.
  void advance(Nanos now) { tick(now); }

  // All of it so far, in the order of names. `schema_names`: by number. The server's own words are in
  // spec, ours in `help`.
  std::vector<MetricFamily> families(const std::vector<std::string>& schema_names,
                                     const std::vector<Endpoint>& endpoints);

 private:
  struct Level {
    explicit Level(std::span<const double> queue_parts);
    LevelRound last;
    bool exempt = false;
    int queue_length_limit = 0;
    TimingRatio demand, seats, executing, waiting;
    BucketCounts queue_length;    // as a part of its limit
    double queue_length_sum = 0;  // in requests
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
  struct EndpointBook {
    EndpointBook();
    std::map<int, std::uint64_t> codes;  // of answers
    std::uint64_t terminated = 0;        // refused by API Priority and Fairness
    std::int64_t open = 0;               // watches
    BucketCounts duration;
  };

  Level& level(LevelId id);
  Pair& pair(const LiveRequest& request);
  Kind& kind(const LiveRequest& request) { return kinds_[request.event.mutating ? 0 : 1]; }
  void tick(Nanos now);
  void execute(Nanos now, const LiveRequest& request, int change);
  void leave_queue(Nanos now, const LiveRequest& request);
  EndpointBook* endpoint(std::uint32_t number);
  void answer(std::uint32_t endpoint, int code, Nanos duration);
  bool has(Feature feature) const { return apf::has(version_, feature); }
  // The release's histograms are of a value each millisecond, rather than of each nanosecond.
  bool takes_samples() const { return !has(Feature::utilization_metrics); }
  // Whether the metrics of seats have the level.
  bool counts_seats(const Level& level) const { return !level.exempt || has(Feature::exempt_level_has_seats); }
  void close();

  struct Writer;
  void write_levels(Writer& out) const;
  void write_pairs(Writer& out) const;
  void write_kinds(Writer& out) const;
  void write_endpoints(Writer& out, const std::vector<Endpoint>& endpoints) const;

  Controller* controller_ = nullptr;
  KubeVersion version_;
  Nanos begin_ = 0, now_ = 0, second_ = 0;
  double fair_frac_ = 0;
  std::vector<std::unique_ptr<Level>> levels_;             // by id
  std::vector<std::unique_ptr<Pair>> pairs_;               // in the order they met
  std::vector<std::vector<std::uint32_t>> pair_by_level_;  // 1 + index into pairs_, by level and schema
  Kind kinds_[2];                                          // mutating, readOnly
  std::vector<std::unique_ptr<EndpointBook>> endpoints_;   // by number
};

}  // namespace apf
