// What kube-apiserver would export of a run: counters, gauges and histograms by priority level and FlowSchema
// (k8s.io/apiserver/pkg/util/flowcontrol/metrics, v1.36).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <apf/replay.h>

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

  // All of it so far, in the order of names. `schema_names`: by number. The server's own words are in
  // spec, ours in `help`.
  std::vector<MetricFamily> families(const std::vector<std::string>& schema_names);

 private:
  struct Level {
    Level();
    LevelRound last;
    bool exempt = false;
    TimingRatio demand, seats, executing, waiting;
  };
  // A level and a FlowSchema that met.
  struct Pair {
    Pair(LevelId l, std::uint32_t s);
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
    std::int64_t now_executing = 0;
    std::int64_t high = 0, last_high = 0;  // of the running second, of the one before
  };

  Level& level(LevelId id);
  Pair& pair(const LiveRequest& request);
  Kind& kind(const LiveRequest& request) { return kinds_[request.event.mutating ? 0 : 1]; }
  void tick(Nanos now);
  void execute(Nanos now, const LiveRequest& request, int change);
  void leave_queue(Nanos now, const LiveRequest& request);
  void close();

  struct Writer;
  void write_levels(Writer& out) const;
  void write_pairs(Writer& out) const;
  void write_kinds(Writer& out) const;

  Controller* controller_ = nullptr;
  Nanos begin_ = 0, now_ = 0, second_ = 0;
  double fair_frac_ = 0;
  std::vector<std::unique_ptr<Level>> levels_;             // by id
  std::vector<std::unique_ptr<Pair>> pairs_;               // in the order they met
  std::vector<std::vector<std::uint32_t>> pair_by_level_;  // 1 + index into pairs_, by level and schema
  Kind kinds_[2];                                          // mutating, readOnly
};

}  // namespace apf
