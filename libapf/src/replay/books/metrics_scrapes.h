// The metrics of a run over time: what a scrape every so often would have found. Where a run outgrows the most scrapes,
// every other one is dropped and the step doubled, so that memory does not grow with the log. What is left in the end
// is bounded by the number of requests: few of them may be years apart.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <apf/replay.h>

#include "replay/books/run_observer.h"

namespace apf {

inline constexpr std::size_t kMostScrapes = 4096;
inline constexpr std::size_t kScrapesBeyondRequests = 64;

class MetricsScrapes final : public RunObserver {
 public:
  // `read`: all families as they are at that instant. It must hear of nothing before this observer does.
  using Read = std::function<std::vector<MetricFamily>(Nanos now)>;
  MetricsScrapes(Nanos step, Read read) : read_(std::move(read)), step_(step) {}

  void on_begin(Controller& controller, Nanos first_arrival) override;
  void on_arrive(Nanos now, const LiveRequest&, std::int64_t) override {
    before(now);
    ++requests_;
  }
  void on_enqueue(Nanos now, const LiveRequest&, int) override { before(now); }
  void on_dispatch(Nanos now, const LiveRequest&) override { before(now); }
  void on_finish(Nanos now, const LiveRequest&) override { before(now); }
  void on_release(Nanos now, const LiveRequest&) override { before(now); }
  void on_refuse(Nanos now, const LiveRequest&, Outcome) override { before(now); }
  void on_no_accommodation(Nanos now, const LiveRequest&, std::uint64_t) override { before(now); }
  void on_round(const Round& round) override { before(round.time); }

  // With a last scrape after the end.
  MetricsOverTime take();

 private:
  // An event is about to happen: scrapes that are due come first.
  void before(Nanos now) {
    while (begun_ && now >= next_) scrape();
  }
  void scrape();
  void thin_out();
  MetricCurve& curve(const MetricFamily& family, const MetricSeries& series);

  Read read_;
  Nanos step_ = 0, next_ = 0;
  bool begun_ = false;
  std::size_t requests_ = 0;
  MetricsOverTime out_;
  std::unordered_map<std::string, std::size_t> families_;             // by name
  std::vector<std::unordered_map<std::string, std::size_t>> curves_;  // by family, then labels
};

}  // namespace apf
