// Keeps the counters from which the metrics of a run are made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <apf/replay.h>

#include "replay/books/metric_counters.h"
#include "replay/books/run_observer.h"

namespace apf {

class MetricsBook final : public RunObserver {
 public:
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
  void advance(Nanos now) { counters_.advance(now); }

  // All of it so far: see families_of().
  std::vector<MetricFamily> families(const std::vector<std::string>& schema_names,
                                     const std::vector<Endpoint>& endpoints);

 private:
  MetricCounters::Pair& pair(const LiveRequest& request) { return counters_.pair(request.level, request.schema); }
  void execute(Nanos now, const LiveRequest& request, int change);
  void leave_queue(Nanos now, const LiveRequest& request);
  void answer(std::uint32_t endpoint, int code, Nanos duration);

  Controller* controller_ = nullptr;
  MetricCounters counters_;
};

// What max-in-flight refuses, where it is in the place of levels.
class MaxInFlightBook final : public RunObserver {
 public:
  void on_begin(Controller& controller, Nanos first_arrival) override;
  void on_refuse(Nanos now, const LiveRequest& request, Outcome outcome) override;
  std::vector<MetricFamily> families(Controller& controller, const std::vector<Endpoint>& endpoints) const;

 private:
  MetricCounters counters_;
};

}  // namespace apf
