#include "replay/clients/client_side.h"

#include "base/releases.h"

namespace apf {

ClientSide::ClientSide(const RunContext& context, Observers& observers, ClientModels* models)
    : context_(context),
      options_(context.options),
      observers_(observers),
      patience_(options_.client_timeouts, context.numbers.requesters, options_.request_timeout,
                !has(options_.version, Feature::exact_wait_limit)),
      event_senders_(context),
      models_(models) {
  if (options_.client_limits)
    limiter_ = std::make_unique<ClientLimiter>(*options_.client_limits, context.numbers.requesters);
  if (!models_ && !options_.client_models.empty())
    models_ = &own_models_.emplace(options_, context.numbers.requesters, nullptr, nullptr, false);
  if (models_) models_->begin(later_);
  if (context.retries && !comes_later()) chains_ = context.retries->again();
}

bool ClientSide::hold_back(Nanos now, const JoinedEvent& joined, Sending& sending) {
  const std::optional<Nanos> delay = limiter_->delay(joined.event.requester, now);
  observers_.on_send(now, joined.event.requester, delay);
  sending.sent = true;
  if (!delay || *delay == 0) return false;
  later_.hold_back(now, *delay, joined, std::move(sending));
  return true;
}

// A refusal that the log shows was followed by what the log shows.
Outcome ClientSide::on_refuse(Nanos now, const LiveRequest& request, Outcome outcome, int retry_after_seconds) {
  if (request.chain > 0) refused_[request.chain] = true;
  // Who hung up does not see Retry-After.
  if (is_refused_after_wait(outcome) && Patience::gives_up(request.event, request.patience, now - request.arrival))
    outcome = Outcome::gave_up;
  const bool retries =
      options_.retries && outcome != Outcome::gave_up && (!request.event.recorded_refusal || request.event.comes_back);
  if (!retries || !later_.come_back(request, observers_.id_text(request), now, retry_after_seconds)) {
    context_.drop_attributes(request.event);
    on_answer(now, request);
  }
  return outcome;
}

void ClientSide::on_event_refused(Nanos now, const LiveRequest& request) {
  event_senders_.on_refused(now, request, observers_.id_text(request), later_);
}

void ClientSide::fill(ReplayReport& report) const {
  event_senders_.fill(report);
  report.retries = later_.retried();
  report.gave_up = later_.gave_up();
  report.retries_beyond_log = later_.beyond_log();
  if (!models_) return;
  report.clients = models_->reports();
  report.retries_dropped = models_->retries_dropped();
}

}  // namespace apf
