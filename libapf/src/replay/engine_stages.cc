// The engine's way through the stages: a request is sent, perhaps later than the log says, and reaches the server.
#include "replay/engine.h"

namespace apf {

void Engine::begin_stages() {
  if (options_.client_limits) {
    limiter_ = std::make_unique<ClientLimiter>(*options_.client_limits, *requesters_);
    stages_.at(AdmissionStage::client_limiter);
  }
  if (options_.in_flight) in_flight_ = std::make_unique<MaxInFlight>(*options_.in_flight, *this, now_, from_, to_);
  admission_ = &stages_.at(in_flight_ ? AdmissionStage::max_in_flight : AdmissionStage::apf);
  if (options_.event_rate_limit) {
    event_limits_ = std::make_unique<EventRateLimitStage>(*options_.event_rate_limit);
    stages_.at(AdmissionStage::event_rate_limit);
  }
  if (options_.limits_resources()) {
    quotas_ = std::make_unique<ResourceQuotaStage>(options_);
    stages_.at(AdmissionStage::resource_quota);
  }
}

// Refusals come with arrivals and with deadlines; whoever is refused may come back before `now`.
void Engine::run_later_arrivals(Nanos now) {
  for (;;) {
    const Nanos next = options_.retries ? next_event() : kNever;
    if (!later_.empty() && later_.next() <= std::min(next, now)) {
      take_later_arrival();
    } else if (next <= now) {
      change_configuration_until(next);
      run_until(next);
    } else {
      return;
    }
  }
}

void Engine::take_later_arrival() {
  now_ = later_.next();
  LaterArrival arrival = later_.pop();
  change_configuration_until(now_);
  if (arrival.joined.kind == JoinedEvent::Kind::watch_end) {
    run_until(now_);
    end_watch(arrival.joined.event.id);
  } else if (limiter_ && !arrival.sending.sent) {
    send(now_, arrival.joined, std::move(arrival.sending));
  } else {
    reach(now_, arrival.joined, std::move(arrival.sending));
  }
}

void Engine::send(Nanos now, const JoinedEvent& joined, Sending&& sending) {
  const std::optional<Nanos> delay = limiter_->delay(joined.event.requester, now);
  if (now >= from_ && now < to_) {
    StageBook& book = stages_.at(AdmissionStage::client_limiter);
    if (delay) book.pass(joined.event.requester, *delay);
    else book.bypass();
  }
  sending.sent = true;
  if (!delay || *delay == 0) return reach(now, joined, std::move(sending));
  LaterArrival later{joined, std::move(sending)};
  later.sending.delay += *delay;
  move_later(later.joined.event, *delay);
  if (joined.event.watch_key != 0 && joined.event.stage == Stage::response_started && !joined.event.trace)
    moved_watches_[short_id(joined.event.id)] += later.sending.delay;
  later_.push(now + *delay, std::move(later));
}

// A watch that began later ends as much later.
bool Engine::watch_end_moves(Nanos now, const JoinedEvent& joined) {
  const auto it = moved_watches_.find(short_id(joined.event.id));
  if (it == moved_watches_.end()) return false;
  LaterArrival end;
  end.joined = joined;
  later_.push(now + it->second, std::move(end));
  moved_watches_.erase(it);
  return true;
}

void Engine::reach(Nanos now, const JoinedEvent& joined, Sending&& sending) {
  if (joined.event.left_out != LeftOut::no) return leave_out(now, joined, std::move(sending), joined.event.left_out);
  if (in_flight_ && joined.event.watch) return leave_out(now, joined, std::move(sending), LeftOut::long_running);
  arrive(now, joined, std::move(sending));
}

// What is refused here gets its answer at once; it has had its seats, and is not sent again, since the answer names no
// time to come back after.
void Engine::admit(Request& request, Nanos now) {
  if (request.event.attributes == 0 || !attributes_) {
    if (!request.in_report) return;
    if (event_limits_) stages_.at(AdmissionStage::event_rate_limit).bypass();
    if (quotas_) stages_.at(AdmissionStage::resource_quota).bypass();
    return;
  }
  const AdmissionAttributes& attributes = attributes_->at(request.event.attributes);
  request.refused_inside_in_log =
      (event_limits_ && attributes.refused_by_event_limit) || (quotas_ && attributes.refused_by_quota);
  if (event_limits_) limit_event(request, attributes, now);
  if (quotas_ && request.outcome == Outcome::executed) limit_resources(request, attributes, now);
  drop_attributes(request.event);
}

void Engine::limit_event(Request& request, const AdmissionAttributes& attributes, Nanos now) {
  StageBook& book = stages_.at(AdmissionStage::event_rate_limit);
  using Verdict = EventRateLimitStage::Verdict;
  const Verdict verdict = event_limits_->ask(attributes, now, request.in_report);
  if (verdict == Verdict::refused) request.outcome = Outcome::event_rate_limit;
  if (request.in_report) {
    if (verdict == Verdict::bypassed) book.bypass();
    else if (verdict == Verdict::passed) book.pass(request.event.requester, 0);
    else book.refuse(request.event.requester, event_limits_->reason());
  }
  if (!decisions_.active() || verdict != Verdict::refused) return;
  Decision& decision = decisions_.at(request.decision);
  decision.stage = AdmissionStage::event_rate_limit;
  decision.outcome = request.outcome;
  decision.reason = event_limits_->reason();
  decision.message = event_limits_->message(attributes);
}

void Engine::limit_resources(Request& request, const AdmissionAttributes& attributes, Nanos now) {
  StageBook& book = stages_.at(AdmissionStage::resource_quota);
  using Verdict = ResourceQuotaStage::Verdict;
  const Verdict verdict = quotas_->ask(attributes, now, request.in_report);
  if (verdict == Verdict::refused) request.outcome = Outcome::resource_quota;
  if (request.in_report) {
    if (verdict == Verdict::bypassed) book.bypass();
    else if (verdict == Verdict::passed) book.pass(request.event.requester, 0);
    else book.refuse(request.event.requester, quotas_->reason());
  }
  if (!decisions_.active() || verdict != Verdict::refused) return;
  Decision& decision = decisions_.at(request.decision);
  decision.stage = AdmissionStage::resource_quota;
  decision.outcome = request.outcome;
  decision.reason = quotas_->reason();
  decision.message = quotas_->message();
}

void Engine::leave_out(Nanos now, const JoinedEvent& joined, Sending&& sending, LeftOut reason) {
  drop_attributes(joined.event);
  ++left_out_[static_cast<int>(reason)];
  if (reason == LeftOut::long_running && now >= from_ && now < to_) admission().bypass();
  if (!decisions_.active()) return;
  const std::uint64_t place = decisions_.open();
  Decision& decision = decisions_.at(place);
  decision.seq = joined.seq;
  decision.id = joined.event.id;
  decision.id_text = std::move(sending.id_text);
  decision.arrival = now;
  decision.delay = sending.delay;
  decision.stage = in_flight_ ? AdmissionStage::max_in_flight : AdmissionStage::apf;
  decision.bypassed = true;
  decision.left_out = reason;
  decisions_.close(place);
}

void Engine::fill_stages(ReplayReport& report) {
  if (requesters_) stages_.fill(report.stages, *requesters_, options_.top);
  if (event_limits_) event_limits_->fill(report.event_rate_limit.emplace());
  if (quotas_) quotas_->fill(report.resource_quota.emplace(), std::max(now_, drained_));
  if (in_flight_) in_flight_->fill(report.in_flight.emplace(), std::max(now_, first_arrival_));
}

}  // namespace apf
