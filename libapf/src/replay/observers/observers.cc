#include "replay/observers/observers.h"

#include "replay/books/totals.h"

namespace apf {

Observers::Observers(const RunContext& context, const RunOutputs& outputs)
    : context_(context),
      apf_on_(!context.options.in_flight),
      filter_stage_(apf_on_ ? AdmissionStage::apf : AdmissionStage::max_in_flight),
      decisions_(outputs.decisions ? *outputs.decisions : nowhere_, context.flows.reports(), filter_stage_,
                 context.options.server, !context.options.decision_fields.empty()),
      timeline_(outputs.timeline ? *outputs.timeline : nowhere_, context.options.server),
      filter_book_(stages_.at(filter_stage_)),
      agreement_(context.numbers, context.flows.reports(), context.options.request_timeout / 4),
      first_pass_(outputs.first_pass),
      traffic_(outputs.traffic),
      reports_(outputs.report),
      rules_(SeatRules::of(context.options.version)) {
  const ReplayOptions& options = context.options;
  if (options.client_limits) stages_.at(AdmissionStage::client_limiter);
  if (outputs.over_time && options.metrics && !apf_on_) add(*(max_in_flight_ = std::make_unique<MaxInFlightBook>()));
  if (!outputs.over_time || !apf_on_) return;
  if (options.metrics) metrics_ = std::make_unique<MetricsBook>();
  if (metrics_) add(*metrics_);
  if (options.series) add(*(series_ = std::make_unique<SeriesBook>()));
}

void Observers::begin(const RunTime& time, Controller& controller,
                      const std::vector<std::unique_ptr<HandlerStage>>& handler_stages, Nanos overhead) {
  for (const auto& stage : handler_stages) stages_.at(stage->stage());
  time_ = &time;
  controller_ = &controller;
  overhead_ = overhead;
  levels_.begin(time);
  tell(&RunObserver::on_begin, controller, time.first_arrival);
}

void Observers::on_send(Nanos now, std::uint32_t requester, std::optional<Nanos> delay) {
  if (!time_->is_in_report(now)) return;
  StageBook& limiter = stages_.at(AdmissionStage::client_limiter);
  if (delay) limiter.pass(requester, *delay);
  else limiter.bypass();
}

void Observers::on_left_out(Nanos now, const JoinedEvent& joined, Sending&& sending, LeftOut reason) {
  ++left_out_[static_cast<int>(reason)];
  const PreparedEvent& event = joined.event;
  if (reason == LeftOut::long_running && time_->is_in_report(now)) filter_book_.bypass();
  // The request at which it is an attempt is not refused here.
  if (reason == LeftOut::further_attempt && event.recorded_refusal && time_->is_in_report(now))
    agreement_.compare(event, context_.choice(event.flow, 0).report, Outcome::executed, 0, overhead_);
  if (decisions_.active()) decisions_.leave_out(now, joined, std::move(sending), reason);
}

void Observers::teach_arrival(const LiveRequest& request) {
  const int level_seats = controller_->limits(request.level).max_seats;
  first_pass_->on_arrive(request, effective_max_seats(level_seats, rules_.max_list_seats));
}

void Observers::on_refuse(Nanos now, const LiveRequest& request, Outcome outcome, int retry_after_seconds) {
  const Nanos wait = now - request.arrival;
  if (first_pass_) first_pass_->on_refuse(request);
  if (apf_on_ && reports_) levels_.on_refuse(now, request);
  tell(&RunObserver::on_refuse, now, request, outcome);
  if (request.in_report) {
    if (reports_) filter_book_.refuse(request.event.requester, to_string(outcome));
    count(request, {outcome, request.queued, wait, 0, request.wanted, request.estimated_seats()}, outcome);
  }
  if (!decisions_.active()) return;
  Decision& decision = decisions_.at(request.decision);
  decision.outcome = outcome;
  decision.wait = wait;
  decision.retry_after = retry_after_seconds;
  decisions_.close(request.decision);
}

void Observers::on_verdict(const LiveRequest& request, const HandlerStage& stage, HandlerStage::Verdict verdict,
                           const AdmissionAttributes* attributes) {
  const bool refused = verdict == HandlerStage::Verdict::refused;
  if (request.in_report) {
    StageBook& book = stages_.at(stage.stage());
    if (refused) book.refuse(request.event.requester, stage.reason());
    else if (verdict == HandlerStage::Verdict::passed) book.pass(request.event.requester, 0);
    else book.bypass();
  }
  if (!decisions_.active() || !refused) return;
  Decision& decision = decisions_.at(request.decision);
  decision.stage = stage.stage();
  decision.outcome = stage.outcome();
  decision.reason = stage.reason();
  decision.message = stage.message(*attributes);
}

void Observers::on_round(const Round& round) {
  agreement_.compare_limits(round, context_.clock, *controller_);
  tell(&RunObserver::on_round, round);
  if (reports_) levels_.on_round(round);
  timeline_.write(round, *controller_);
}

void Observers::fill_left_out(ReplayReport& report) const {
  for (int i = 1; i < static_cast<int>(LeftOut::kCount); ++i)
    if (left_out_[i] > 0) report.left_out[to_string(static_cast<LeftOut>(i))] = left_out_[i];
}

void Observers::fill(ReplayReport& report, Nanos now) {
  const auto by_level = fill_totals(report, context_);
  levels_.fill(report, *controller_, by_level, now, apf_on_);
  agreement_.fill(report.recorded);
  stages_.fill(report.stages, context_.numbers.requesters, context_.options.top);
  if (metrics_) report.metrics = metrics_->families(context_.flows.schema_names(), context_.numbers.endpoints);
  if (max_in_flight_) report.metrics = max_in_flight_->families(*controller_, context_.numbers.endpoints);
  if (series_) report.series = series_->series();
}

}  // namespace apf
