// What a run writes down: the engine moves requests and says what happens, here it is counted and written. All calls
// in the order of the clock.
//
// Those that every replay has are members and called directly; RunObserver is for those that are switched on.
#pragma once

#include <optional>
#include <vector>

#include "replay/books/agreement.h"
#include "replay/books/level_book.h"
#include "replay/books/metrics_book.h"
#include "replay/books/run_context.h"
#include "replay/books/run_observer.h"
#include "replay/books/series_book.h"
#include "replay/books/tally.h"
#include "replay/books/timeline.h"
#include "replay/books/traffic_book.h"
#include "replay/observers/decisions.h"
#include "replay/observers/first_pass.h"
#include "replay/stages/handler_stage.h"
#include "replay/stages/later_arrivals.h"
#include "replay/stages/stage_book.h"

namespace apf {

// For what a run is written down, beside its report.
struct RunOutputs {
  OutputFile* decisions = nullptr;  // null: not written
  OutputFile* timeline = nullptr;
  bool over_time = false;           // metrics and curves, where the options want them
  FirstPass* first_pass = nullptr;  // learns from the run
  TrafficBook* traffic = nullptr;   // counts its requests for a comparison
  bool report = true;               // else nobody wants more of the run than how it agrees with the log
};

class Observers {
 public:
  Observers(const RunContext& context, const RunOutputs& outputs);
  // Before begin().
  void add(RunObserver& observer) { others_.push_back(&observer); }
  Agreement& agreement() { return agreement_; }
  // Whether any RunObserver asks for queues and watches.
  bool observe_queues() const { return !others_.empty(); }
  // Nobody wants more of a request than what the books count.
  bool are_books_alone() const { return others_.empty() && !decisions_.active() && !first_pass_; }
  // Before the first round. `overhead`: see EngineStart.
  void begin(const RunTime& time, Controller& controller,
             const std::vector<std::unique_ptr<HandlerStage>>& handler_stages, Nanos overhead);

  // What concerns nobody but every RunObserver.
  template <class... Parameters, class... Arguments>
  void tell(void (RunObserver::*event)(Parameters...), Arguments&&... arguments) {
    for (RunObserver* o : others_) (o->*event)(arguments...);
  }
  // A client sends; its limiter delays the request, nothing: it has none.
  void on_send(Nanos now, std::uint32_t requester, std::optional<Nanos> delay);
  void on_left_out(Nanos now, const JoinedEvent& joined, Sending&& sending, LeftOut reason);
  // Of the log or not, and whoever is told.
  void on_any_arrival(const LiveRequest& request) {
    if (request.is_of_log() && request.in_report) agreement_.arrive(request.event, request.report);
  }
  // `id_text`: of an id that is no UUID. `watches`: how many are interested, -1 where nobody asks.
  void on_arrive(Nanos now, LiveRequest& request, std::string&& id_text, std::int64_t watches) {
    tell(&RunObserver::on_text, request, id_text);
    if (decisions_.active()) request.decision = decisions_.open(request, std::move(id_text));
    if (first_pass_) teach_arrival(request);
    tell(&RunObserver::on_arrive, now, request, watches);
  }
  // Kept only where decisions are written.
  std::string id_text(const LiveRequest& request) {
    return decisions_.active() ? decisions_.at(request.decision).id_text : std::string();
  }
  // `queue`: where it was put, -1 = none.
  void on_enqueue(Nanos now, const LiveRequest& request, int queue) {
    if (apf_on_ && reports_) levels_.on_enqueue(now, request);
    if (!others_.empty() && request.queues)
      tell(&RunObserver::on_enqueue, now, request, controller_->queue_set(request.level).length_after_enqueue());
    if (decisions_.active()) decisions_.at(request.decision).queue = queue;
  }
  void on_refuse(Nanos now, const LiveRequest& request, Outcome outcome, int retry_after_seconds);
  void on_dispatch(Nanos now, const LiveRequest& request) {
    if (apf_on_ && reports_) levels_.on_dispatch(now, request);
    if (first_pass_) first_pass_->on_dispatch(request, overhead_);
    tell(&RunObserver::on_dispatch, now, request);
  }
  // A stage inside the handler has decided. `attributes`: null when it was not asked.
  void on_verdict(const LiveRequest& request, const HandlerStage& stage, HandlerStage::Verdict verdict,
                  const AdmissionAttributes* attributes);
  // It is known when the request's handler returns.
  void on_start(const LiveRequest& request, Nanos end) {
    if (decisions_.active()) decisions_.start(request, end);
  }
  void on_release(Nanos now, const LiveRequest& request);
  void on_round(const Round& round);

  void fill_left_out(ReplayReport& report) const;
  void fill(ReplayReport& report, Nanos now);

 private:
  void teach_arrival(const LiveRequest& request);
  // A request of the report is through. `outcome`: of the server's own stage.
  void count(const LiveRequest& request, const RequestOutcome& request_outcome, Outcome outcome);

  const RunContext& context_;
  const RunTime* time_ = nullptr;
  Controller* controller_ = nullptr;
  const bool apf_on_;
  const AdmissionStage filter_stage_;
  OutputFile nowhere_{""};
  DecisionWriter decisions_;
  TimelineWriter timeline_;
  StageTable stages_;
  StageBook& filter_book_;  // of the server's own stage
  LevelBook levels_;
  Agreement agreement_;
  Nanos overhead_ = 0;
  std::uint64_t left_out_[static_cast<int>(LeftOut::kCount)] = {};
  // Null where they are not wanted.
  std::unique_ptr<MetricsBook> metrics_;
  std::unique_ptr<MaxInFlightBook> max_in_flight_;
  std::unique_ptr<SeriesBook> series_;
  std::vector<RunObserver*> others_;
  FirstPass* const first_pass_;
  TrafficBook* const traffic_;
  const bool reports_;
  const SeatRules rules_;
};

inline void Observers::count(const LiveRequest& request, const RequestOutcome& request_outcome, Outcome outcome) {
  if (reports_) apf::add(context_.flows.reports()[request.report].tally, request_outcome);
  if (traffic_) traffic_->add(request, request_outcome);
  if (request.is_of_log() && has_answer_in_log(request))
    agreement_.compare(request.event, request.report, outcome, request_outcome.wait, overhead_);
}

inline void Observers::on_release(Nanos now, const LiveRequest& request) {
  const HeldSeats seat_seconds = HeldSeats::of(request.seats, now - request.dispatch);
  if (apf_on_ && reports_) levels_.on_release(now, request);
  tell(&RunObserver::on_release, now, request);
  const Nanos wait = request.dispatch - request.arrival;
  if (request.in_report) {
    if (reports_) filter_book_.pass(request.event.requester, wait);
    count(request, {request.outcome, request.queued, wait, seat_seconds, request.wanted, request.estimated_seats()},
          Outcome::executed);
  }
  if (!decisions_.active()) return;
  decisions_.at(request.decision).release = now;
  decisions_.close(request.decision);
}

}  // namespace apf
