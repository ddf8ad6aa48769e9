// What a run writes down: the engine moves requests and says what happens, here it is counted and written. All calls
// in the order of the clock.
//
// Those that every replay has are members and called directly; RunObserver is for those that are switched on.
#pragma once

#include <optional>
#include <vector>

#include "replay/agreement.h"
#include "replay/culprit_book.h"
#include "replay/decisions.h"
#include "replay/first_pass.h"
#include "replay/level_book.h"
#include "replay/run_context.h"
#include "replay/run_observer.h"
#include "replay/stages/handler_stage.h"
#include "replay/stages/later_arrivals.h"
#include "replay/stages/stage_book.h"
#include "replay/timeline.h"
#include "replay/traffic_book.h"

namespace apf {

class Observers {
 public:
  Observers(const RunContext& context, OutputFile& decisions, OutputFile& timeline);
  // Before begin().
  void add(RunObserver& observer) { others_.push_back(&observer); }
  Agreement& agreement() { return agreement_; }
  // Who learns from this run; before begin().
  // `alone`: there will be no report of it, only how it agrees with the log.
  void teach(FirstPass& pass, bool alone) {
    first_pass_ = &pass;
    counts_ = !alone;
  }
  // Where requests are counted for a comparison; before begin().
  void count(TrafficBook& book) { traffic_ = &book; }
  // Whether any RunObserver asks for queues and watches.
  bool observe_queues() const { return !others_.empty(); }
  // Before the first round. `overhead`: see EngineStart.
  void begin(const RunTime& time, Controller& controller,
             const std::vector<std::unique_ptr<HandlerStage>>& handler_stages, Nanos overhead);

  // A client sends; its limiter delays the request, nothing: it has none.
  void on_send(Nanos now, std::uint32_t requester, std::optional<Nanos> delay);
  void on_left_out(Nanos now, const JoinedEvent& joined, Sending&& sending, LeftOut reason);
  // `id_text`: of an id that is no UUID. `watches`: how many are interested, -1 where nobody asks.
  void on_arrive(Nanos now, LiveRequest& request, std::string&& id_text, std::int64_t watches) {
    for (RunObserver* o : others_) o->on_text(request, id_text);
    if (decisions_.active()) request.decision = decisions_.open(request, std::move(id_text));
    if (first_pass_) teach_arrival(request);
    for (RunObserver* o : others_) o->on_arrive(now, request, watches);
  }
  // Kept only where decisions are written.
  std::string id_text(const LiveRequest& request) {
    return decisions_.active() ? decisions_.at(request.decision).id_text : std::string();
  }
  // `queue`: where it was put, -1 = none.
  void on_enqueue(Nanos now, const LiveRequest& request, int queue) {
    if (!others_.empty() && request.queues) tell_length(now, request);
    if (decisions_.active()) decisions_.at(request.decision).queue = queue;
  }
  void on_refuse(Nanos now, const LiveRequest& request, Outcome outcome, int retry_after_seconds);
  void on_dispatch(Nanos now, const LiveRequest& request) {
    if (apf_on_ && counts_) {
      levels_.on_dispatch(now, request);
      culprits_.on_dispatch(request);
    }
    if (first_pass_) first_pass_->on_dispatch(request, overhead_);
    for (RunObserver* o : others_) o->on_dispatch(now, request);
  }
  // A stage inside the handler has decided. `attributes`: null when it was not asked.
  void on_verdict(const LiveRequest& request, const HandlerStage& stage, HandlerStage::Verdict verdict,
                  const AdmissionAttributes* attributes);
  // It is known when the request's handler returns.
  void on_start(const LiveRequest& request, Nanos end) {
    if (decisions_.active()) decisions_.start(request, end);
  }
  void on_finish(Nanos now, const LiveRequest& request) {
    for (RunObserver* o : others_) o->on_finish(now, request);
  }
  // `since`: when it began to run.
  void on_watch_end(Nanos now, std::uint32_t endpoint, Nanos since) {
    for (RunObserver* o : others_) o->on_watch_end(now, endpoint, since);
  }
  void on_release(Nanos now, const LiveRequest& request);
  void on_no_accommodation(Nanos now, const LiveRequest& request, std::uint64_t times);
  void on_round(const Round& round);

  void fill_left_out(ReplayReport& report) const;
  void fill(ReplayReport& report, Nanos now);

 private:
  void teach_arrival(const LiveRequest& request);
  StageBook& filter() { return *filter_book_; }
  void tell_length(Nanos now, const LiveRequest& request);

  const RunContext& context_;
  const RunTime* time_ = nullptr;
  Controller* controller_ = nullptr;
  const bool apf_on_;
  const AdmissionStage filter_stage_;
  DecisionWriter decisions_;
  TimelineWriter timeline_;
  StageTable stages_;
  StageBook* filter_book_;
  LevelBook levels_;
  CulpritBook culprits_;
  Agreement agreement_;
  Nanos overhead_ = 0;
  std::uint64_t left_out_[static_cast<int>(LeftOut::kCount)] = {};
  std::vector<RunObserver*> others_;
  FirstPass* first_pass_ = nullptr;
  bool counts_ = true;
  TrafficBook* traffic_ = nullptr;
  SeatRules rules_;
};

}  // namespace apf
