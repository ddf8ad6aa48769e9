#include "replay/engine.h"

#include <algorithm>

namespace apf {

Engine::Engine(const RunContext& context, Observers& observers)
    : context_(context), observers_(observers), server_(context, time_, observers, later_) {}

void Engine::begin(Nanos first_arrival, const EngineStart& start) {
  begun_ = true;
  start_ = start;
  time_.begin(first_arrival, context_.options);
  if (context_.options.client_limits)
    limiter_ = std::make_unique<ClientLimiter>(*context_.options.client_limits, context_.requesters);
  server_.begin(start);
}

void Engine::take(Nanos now, const JoinedEvent& joined, std::string id_text) {
  advance(now);
  if (joined.kind == JoinedEvent::Kind::watch_end) {
    if (!limiter_ || !later_.move_watch_end(now, joined)) end_watch(now, joined.event.id);
    return;
  }
  if (joined.event.left_out == LeftOut::no) last_arrival_ = now;
  if (limiter_ && !joined.event.filled && joined.event.left_out != LeftOut::standing_watch) send(now, joined, {std::move(id_text)});
  else reach(now, joined, {std::move(id_text)});
}

void Engine::advance(Nanos now) {
  if (context_.options.retries || limiter_) run_later_arrivals(now);
  time_.now = now;
  if (server_.configurations().may_change()) server_.configurations().change_until(now);
}

// Refusals come with arrivals and with deadlines; whoever is refused may come back before `now`.
void Engine::run_later_arrivals(Nanos now) {
  for (;;) {
    const Nanos next = context_.options.retries ? server_.next_event() : kNever;
    if (!later_.empty() && later_.next() <= std::min(next, now)) {
      take_later_arrival();
    } else if (next <= now) {
      server_.configurations().change_until(next);
      server_.run_until(next);
    } else {
      return;
    }
  }
}

void Engine::take_later_arrival() {
  const Nanos now = time_.now = later_.next();
  LaterArrival arrival = later_.pop();
  server_.configurations().change_until(now);
  if (arrival.joined.kind == JoinedEvent::Kind::watch_end) end_watch(now, arrival.joined.event.id);
  else if (limiter_ && !arrival.sending.sent) send(now, arrival.joined, std::move(arrival.sending));
  else reach(now, arrival.joined, std::move(arrival.sending));
}

void Engine::end_watch(Nanos now, const AuditId& id) {
  server_.run_until(now);
  server_.watches().end(id);
}

void Engine::send(Nanos now, const JoinedEvent& joined, Sending&& sending) {
  const std::optional<Nanos> delay = limiter_->delay(joined.event.requester, now);
  observers_.on_send(now, joined.event.requester, delay);
  sending.sent = true;
  if (delay && *delay != 0) later_.hold_back(now, *delay, joined, std::move(sending));
  else reach(now, joined, std::move(sending));
}

void Engine::reach(Nanos now, const JoinedEvent& joined, Sending&& sending) {
  LeftOut reason = joined.event.left_out;
  if (reason == LeftOut::no && context_.options.in_flight && joined.event.watch) reason = LeftOut::long_running;
  if (reason == LeftOut::no) return server_.arrive(now, joined, std::move(sending));
  context_.drop_attributes(joined.event);
  observers_.on_left_out(now, joined, std::move(sending), reason);
}

void Engine::finish() {
  if (!begun_) return;
  while (context_.options.retries || limiter_) {
    const Nanos next = std::min(context_.options.retries ? server_.next_event() : kNever, later_.next());
    if (next == kNever) break;
    advance(next);
  }
  server_.drain();
}

ReplayFacts Engine::facts(const EngineStart& start) {
  ReplayFacts facts;
  server_.add_facts(facts);
  facts.limits_clients = limiter_ != nullptr;
  if (context_.options.in_flight) return facts;
  ClockFacts& clock = facts.clock.emplace();
  clock.start = start;
  clock.restarts = context_.clock.restarts();
  clock.logged_seats = context_.clock.server_concurrency_limit();
  clock.seats = context_.seats();
  const std::vector<Nanos>& unexplained = server_.configurations().unexplained();
  clock.unexplained_digests = unexplained.size();
  if (!unexplained.empty()) clock.first_unexplained_digest = unexplained.front();
  return facts;
}

void Engine::fill(ReplayReport& report) {
  report.version = context_.options.version;
  report.server_concurrency_limit = context_.seats();
  report.seats_by_log = context_.options.seats_by_log && context_.clock.server_concurrency_limit();
  observers_.fill_left_out(report);
  if (!begun_) return;
  report.first_arrival = time_.first_arrival;
  report.last_arrival = std::max(time_.first_arrival, last_arrival_);
  server_.fill(report);
  report.retries = later_.retried();
  report.gave_up = later_.gave_up();
  report.assumptions = assumptions_of(facts(start_));
}

}  // namespace apf
