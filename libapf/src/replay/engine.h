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

#include "replay/agreement.h"
#include "replay/config_schedule.h"
#include "replay/decisions.h"
#include "replay/engine_start.h"
#include "replay/flows.h"
#include "replay/prepare/attributes.h"
#include "replay/prepare/prepared.h"
#include "replay/remarks.h"
#include "replay/run_observer.h"
#include "replay/server_clock.h"
#include "replay/service_times.h"
#include "replay/stages/client_limiter.h"
#include "replay/stages/event_rate_limit.h"
#include "replay/stages/later_arrivals.h"
#include "replay/stages/max_in_flight.h"
#include "replay/stages/resource_quota.h"
#include "replay/stages/stage_book.h"
#include "replay/tally.h"

namespace apf {

class Engine final : public ControllerListener {
 public:
  // `places` and `lists` are the run's; they may grow while it lasts.
  Engine(const ReplayOptions& options, const std::vector<std::shared_ptr<const Classifier>>& classifiers, Flows& flows,
         DecisionWriter& decisions, OutputFile& timeline, ServerClock& clock, const std::vector<RecordedPlace>& places,
         const std::vector<std::vector<int>>& lists);

  // Who sends, for the client limiter and for the report; may grow while the run lasts.
  void know(const std::vector<Requester>& requesters) { requesters_ = &requesters; }
  // Where PreparedEvent::attributes are held; the engine drops what it is done with.
  void hold(HeldAttributes& attributes) { attributes_ = &attributes; }
  // Before the first event, which will come at `first_arrival`.
  void begin(Nanos first_arrival, const EngineStart& start);
  bool begun() const { return begun_; }
  // A watch that was there before the log begins.
  void add_standing_watch(WatchKey key, Nanos end);
  // An execution that the log will tell of.
  void foresee(const PreparedEvent& event);
  // One event of the log, in order of time. The id's text, where it is no UUID.
  void take(Nanos now, const JoinedEvent& joined, std::string id_text);
  // Everything that still runs or waits comes to its end.
  void finish();
  void fill(ReplayReport& report);
  // Told of all that happens from now on; before the first event.
  void observe(RunObserver& observer) { observers_.push_back(&observer); }

  Nanos now() const { return now_; }
  Agreement& agreement() { return agreement_; }
  Nanos resolve(const ReplayTime& time) const { return time.relative ? first_arrival_ + time.value : time.value; }

  // ControllerListener
  Nanos on_dispatch(std::uint64_t tag, Nanos now) override;
  void on_refuse(std::uint64_t tag, Nanos now, Outcome outcome, int retry_after_seconds) override;
  void on_finish(std::uint64_t tag, Nanos now) override;
  void on_release(std::uint64_t tag, Nanos now) override;
  void on_round(const Round& round) override;
  Nanos next_adjustment(Nanos tick) override;
  void on_no_accommodation(std::uint64_t tag, Nanos now) override;

 private:
  struct Request {  // from its arrival until its seats are free
    PreparedEvent event;
    std::uint64_t decision = 0;
    Nanos arrival = 0, dispatch = 0;
    Nanos delay = 0;  // by the client's limiter
    WorkEstimate work;
    LevelId level = 0;
    std::uint32_t report = 0, schema = 0;
    int seats = 0;
    bool queued = false;
    bool queues = false;  // the level had some when it arrived
    bool in_report = true;
    bool unfinished = false;
    Outcome outcome = Outcome::executed;  // of admission inside the handler
    bool refused_inside_in_log = false;   // likewise, in the log
    std::uint8_t attempt = 0;
    std::uint64_t seq = 0;
    std::uint32_t next_free = 0;
  };
  struct LevelBook {
    TimeAverage seats, current, borrowed, lent;
    int seats_now = 0;
    int nominal_cl = 0, min_cl = 0, max_cl = 0;
  };
  struct OpenWatch {
    WatchKey key = 0;
    bool counted = false;  // registered with the tracker
  };

  void begin_stages();
  void fill_levels(ReplayReport& report, const std::map<std::string, RequestTally>& by_level);
  ReplayFacts facts() const;
  // Configurations, ticks and clients that come back, up to `now`.
  void advance(Nanos now);
  void change_configuration_until(Nanos now);
  void run_later_arrivals(Nanos now);
  void take_later_arrival();
  // A client sends: its limiter may hold the request back.
  void send(Nanos now, const JoinedEvent& joined, Sending&& sending);
  // A request is at the server.
  void reach(Nanos now, const JoinedEvent& joined, Sending&& sending);
  // A dispatched request is in its handler.
  void admit(Request& request, Nanos now);
  void limit_event(Request& request, const AdmissionAttributes& attributes, Nanos now);
  void limit_resources(Request& request, const AdmissionAttributes& attributes, Nanos now);
  void drop_attributes(const PreparedEvent& event) {
    if (event.attributes != 0 && attributes_) attributes_->drop(event.attributes);
  }
  bool watch_end_moves(Nanos now, const JoinedEvent& joined);
  void run_until(Nanos now) { in_flight_ ? in_flight_->run_until(now) : controller_->run_until(now); }
  Nanos next_event() const { return in_flight_ ? in_flight_->next_event() : controller_->next_event(); }
  StageBook& admission() { return *admission_; }
  void fill_stages(ReplayReport& report);
  void digest(Nanos now, const Config& config);
  void note_lingering(const Round& round);
  void arrive(Nanos now, const JoinedEvent& joined, Sending&& sending);
  void leave_out(Nanos now, const JoinedEvent& joined, Sending&& sending, LeftOut reason);
  void come_back(const Request& request, Nanos now, int retry_after_seconds, std::string id_text);
  void end_watch(const AuditId& id);
  void expire_watches(Nanos now);
  void start_watch(const PreparedEvent& event);
  WorkEstimate estimate(const PreparedEvent& event, LevelId level);
  int list_estimate(const PreparedEvent& event);
  void take_seats(Request& request, Nanos now);
  Nanos service_end(const Request& request, Nanos now);
  Nanos typical_service(const Request& request);
  LevelBook& book(LevelId level);
  ObservedRequest observed(const Request& request) const;
  void tell_arrival(Nanos now, const Request& request);
  std::uint32_t allocate();
  void free(std::uint32_t slot);

  const ReplayOptions& options_;
  const std::vector<std::shared_ptr<const Classifier>>& classifiers_;
  Flows& flows_;
  DecisionWriter& decisions_;
  OutputFile& timeline_;
  const SeatRules rules_;
  std::unique_ptr<Controller> controller_;
  std::vector<std::vector<LevelId>> level_ids_;  // by configuration and the classifier's level
  ServerClock& clock_;
  ConfigSchedule schedule_;
  Agreement agreement_;
  const std::vector<std::vector<int>>& lists_;
  std::vector<std::pair<Nanos, std::size_t>> scrapes_;  // object counts: time, which
  std::size_t next_scrape_ = 0, scrape_ = 0;
  EngineStart start_;
  Nanos next_tick_ = 0, reaped_ = INT64_MIN;
  std::size_t configuration_ = 0;
  std::vector<Request> requests_;
  std::uint32_t free_ = 0;  // 1 + first free slot
  std::vector<LevelBook> books_;
  ServiceTimes services_;
  const std::vector<Requester>* requesters_ = nullptr;
  StageTable stages_;
  StageBook* admission_ = nullptr;                     // of them, the server's own
  std::unique_ptr<ClientLimiter> limiter_;             // null: clients are not held back
  std::unique_ptr<MaxInFlight> in_flight_;             // null: API Priority and Fairness is on
  std::unique_ptr<EventRateLimitStage> event_limits_;  // null: events are not limited
  std::unique_ptr<ResourceQuotaStage> quotas_;         // null: nothing is limited by quota
  HeldAttributes* attributes_ = nullptr;
  LaterArrivals later_;
  std::unordered_map<std::uint64_t, Nanos> moved_watches_;  // by audit ID: how much later they end
  std::uint64_t retried_ = 0, gave_up_ = 0;
  WatchTracker watches_;
  std::uint64_t watches_peak_ = 0;
  std::unordered_map<std::uint64_t, OpenWatch> open_watches_;  // by audit ID; their end comes as an event
  std::priority_queue<std::pair<Nanos, WatchKey>, std::vector<std::pair<Nanos, WatchKey>>, std::greater<>> watch_ends_;
  Nanos now_ = 0, first_arrival_ = 0, last_arrival_ = 0, from_ = INT64_MIN, to_ = INT64_MAX;
  std::vector<RunObserver*> observers_;
  Nanos drained_ = INT64_MIN;  // the last request was done with
  bool begun_ = false, refused_on_arrival_ = false;
  std::uint64_t left_out_[static_cast<int>(LeftOut::kCount)] = {};
  std::uint64_t list_estimates_ = 0, watches_without_init_ = 0, refused_given_service_ = 0, anchored_ = 0,
                refused_let_in_ = 0;
  std::uint64_t standing_watches_ = 0, fixed_flows_ = 0, missing_schemas_ = 0;
};

}  // namespace apf
