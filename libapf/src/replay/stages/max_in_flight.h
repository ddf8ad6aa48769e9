// What kube-apiserver does with API Priority and Fairness off: two counters of requests in flight, and no queues
// (WithMaxInFlightLimit of k8s.io/apiserver/pkg/server/filters/maxinflight.go, v1.36). Long-running requests do not
// come here.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include <apf/replay.h>
#include "schedule/controller.h"

#include "replay/books/tally.h"

namespace apf {

// PeakSeries while it grows.
class PeakBook {
 public:
  void begin(Nanos time) { series_.begin = time; }
  void note(Nanos now, int value);
  const PeakSeries& series() const { return series_; }

 private:
  static constexpr std::size_t kMostBins = 4096;
  PeakSeries series_;
  Nanos second_ = INT64_MIN;
};

class MaxInFlight final : public Filter {
 public:
  // Averages and peaks are of [from, to). Calls the listener's on_dispatch, on_refuse and on_release.
  MaxInFlight(const InFlightLimits& limits, ControllerListener& listener, Nanos start, Nanos from, Nanos to);

  // Ends everything that is due at `now`.
  void run_until(Nanos now) override;
  struct Request {
    std::uint64_t tag = 0;
    bool mutating = false;
    bool masters = false;  // its user is in system:masters, who is served always
    bool in_report = true;
  };
  // run_until(now) is implied.
  void arrive(Nanos now, const Request& request);
  void drain() override { run_until(kNever); }
  Nanos next_event() const override { return ends_.empty() ? kNever : ends_.top().time; }
  // Until `now`.
  void fill(InFlightReport& report, Nanos now);

 private:
  struct End {
    Nanos time = 0;
    std::uint64_t order = 0, tag = 0;
    bool mutating = false, counted = false;
    bool operator>(const End& o) const { return time != o.time ? time > o.time : order > o.order; }
  };
  struct Counter {
    int limit = 0, now = 0;
    std::uint64_t requests = 0, refused = 0, uncounted = 0;
    TimeAverage in_flight;
    PeakBook peaks;
    void set(Nanos time, int value);
    void fill(InFlightReport::Kind& report, Nanos now);
  };
  Counter& of(bool mutating) { return mutating ? mutating_ : read_only_; }

  ControllerListener& listener_;
  Counter read_only_, mutating_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::uint64_t order_ = 0;
};

}  // namespace apf
