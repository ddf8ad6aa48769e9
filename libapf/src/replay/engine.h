// The discrete-event loop of a replay: requests in order of arrival on one side, the Controller's levels on the
// other; between them seats, service times and watches, and the books.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <queue>
#include <unordered_map>
#include <vector>

#include <apf/controller.h>
#include <apf/replay.h>

#include "replay/decisions.h"
#include "replay/flows.h"
#include "replay/join.h"
#include "replay/run_observer.h"
#include "replay/tally.h"

namespace apf {

class Engine final : public ControllerListener {
 public:
  Engine(const ReplayOptions& options, const std::vector<std::shared_ptr<const Classifier>>& classifiers, Flows& flows,
         DecisionWriter& decisions, OutputFile& timeline);

  // One event of the log, in order of time. The id's text, where it is no UUID.
  void take(Nanos now, JoinedEvent& joined, std::string id_text);
  // Everything that still runs or waits comes to its end.
  void finish();
  void fill(ReplayReport& report);
  // Told of all that happens from now on; before the first event.
  void observe(RunObserver& observer) { observers_.push_back(&observer); }

  Nanos now() const { return now_; }

  // ControllerListener
  Nanos on_dispatch(std::uint64_t tag, Nanos now) override;
  void on_refuse(std::uint64_t tag, Nanos now, Outcome outcome, int retry_after_seconds) override;
  void on_finish(std::uint64_t tag, Nanos now) override;
  void on_release(std::uint64_t tag, Nanos now) override;
  void on_round(const Round& round) override;
  void on_no_accommodation(std::uint64_t tag, Nanos now) override;

 private:
  struct Request {  // from its arrival until its seats are free
    PreparedEvent event;
    std::uint64_t decision = 0;
    Nanos arrival = 0, dispatch = 0;
    WorkEstimate work;
    LevelId level = 0;
    std::uint32_t report = 0, schema = 0;
    int seats = 0;
    bool queued = false;
    bool queues = false;  // the level had some when it arrived
    bool in_report = true;
    bool unfinished = false;
    std::uint32_t next_free = 0;
  };
  struct LevelBook {
    TimeAverage seats, current, borrowed, lent;
    int seats_now = 0;
    int nominal_cl = 0, min_cl = 0, max_cl = 0;
  };
  struct Service {  // executions seen so far
    double sum = 0;
    std::uint64_t count = 0;
  };
  struct OpenWatch {
    WatchKey key = 0;
    bool counted = false;  // registered with the tracker
  };

  void begin(Nanos first_arrival);
  void fill_levels(ReplayReport& report, const std::map<std::string, RequestTally>& by_level);
  void fill_assumptions(ReplayReport& report) const;
  void change_configuration_until(Nanos now);
  void digest(Nanos now, const Config& config);
  void arrive(Nanos now, JoinedEvent& joined, std::string id_text);
  void leave_out(Nanos now, const JoinedEvent& joined, std::string id_text);
  void end_watch(const AuditId& id);
  void expire_watches(Nanos now);
  void start_watch(const PreparedEvent& event);
  WorkEstimate estimate(const PreparedEvent& event, LevelId level) const;
  Nanos service_end(const Request& request, Nanos now);
  Nanos typical_service(const Request& request);
  LevelBook& book(LevelId level);
  void compare_with_log(const Request& request, Outcome outcome, Nanos wait);
  ObservedRequest observed(const Request& request) const;
  void tell_arrival(Nanos now, const Request& request);
  std::uint32_t allocate();
  void free(std::uint32_t slot);
  Nanos resolve(const ReplayTime& time) const { return time.relative ? first_arrival_ + time.value : time.value; }

  const ReplayOptions& options_;
  const std::vector<std::shared_ptr<const Classifier>>& classifiers_;
  Flows& flows_;
  DecisionWriter& decisions_;
  OutputFile& timeline_;
  const SeatRules rules_;
  std::unique_ptr<Controller> controller_;
  std::vector<std::vector<LevelId>> level_ids_;  // by configuration and the classifier's level
  std::vector<std::pair<Nanos, std::size_t>> changes_;  // time, configuration
  std::size_t next_change_ = 0, configuration_ = 0;
  std::vector<Request> requests_;
  std::uint32_t free_ = 0;  // 1 + first free slot
  std::vector<LevelBook> books_;
  std::unordered_map<std::uint64_t, Service> services_;  // by schema and service key
  Service any_service_;
  WatchTracker watches_;
  std::uint64_t watches_peak_ = 0;
  std::unordered_map<std::uint64_t, OpenWatch> open_watches_;  // by audit ID; their end comes as an event
  std::priority_queue<std::pair<Nanos, WatchKey>, std::vector<std::pair<Nanos, WatchKey>>, std::greater<>> watch_ends_;
  Nanos now_ = 0, first_arrival_ = 0, last_arrival_ = 0, from_ = INT64_MIN, to_ = INT64_MAX;
  std::vector<RunObserver*> observers_;
  Nanos drained_ = INT64_MIN;  // the last request was done with
  bool begun_ = false, refused_on_arrival_ = false;
  std::uint64_t left_out_[static_cast<int>(LeftOut::kCount)] = {};
  RecordedReport recorded_;
  double recorded_wait_sum_ = 0, replayed_wait_sum_ = 0;
  std::uint64_t list_estimates_ = 0, watches_without_init_ = 0, refused_given_service_ = 0, anchored_ = 0;
};

}  // namespace apf
