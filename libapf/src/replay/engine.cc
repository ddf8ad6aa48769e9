#include "replay/engine.h"

#include <algorithm>

#include "base/releases.h"

namespace apf {

Engine::Engine(const RunContext& context, Observers& observers, ClientModels* clients)
    : context_(context),
      observers_(observers),
      server_(context, time_, observers, later_),
      clients_(clients),
      resends_(server_.event_senders().resends()) {
  if (!context.options.scales.empty()) scaler_ = std::make_unique<LoadScaler>(context);
  if (!context.options.dump_at.empty()) {
    dumps_ = std::make_unique<DumpBook>(context);
    observers_.add(*dumps_);
  }
  if (!clients_ && !context.options.client_models.empty()) {
    own_clients_ = std::make_unique<ClientModels>(context.options, context.requesters, nullptr, nullptr, false);
    clients_ = own_clients_.get();
  }
  if (!clients_) return;
  clients_->begin(later_);
  server_.set_clients(clients_);
}

void Engine::begin(Nanos first_arrival, const EngineStart& start) {
  begun_ = true;
  start_ = start;
  time_.begin(first_arrival, context_.options);
  if (context_.options.client_limits)
    limiter_ = std::make_unique<ClientLimiter>(*context_.options.client_limits, context_.requesters);
  server_.begin(start);
}

void Engine::add_standing_watch(WatchKey key, Nanos end) {
  const std::size_t times = scaler_ ? scaler_->times_standing() : 1;
  for (std::size_t i = 0; i < times; ++i) server_.watches().add_standing(key, end);
}

void Engine::take(Nanos now, const JoinedEvent& joined, std::string id_text) {
  if (!scaler_) return take_scaled(now, joined, std::move(id_text));
  scaler_->take(now, joined, std::move(id_text), [this](Nanos at, const JoinedEvent& due, std::string&& text) {
    take_scaled(at, due, std::move(text));
  });
}

void Engine::take_scaled(Nanos now, const JoinedEvent& joined, std::string&& id_text) {
  // Whether the log goes on after the end of a watch is not known yet.
  if (context_.options.retries && joined.kind == JoinedEvent::Kind::watch_end) {
    held_ends_.emplace_back(now, joined);
    return;
  }
  take_held_ends();
  advance(now);
  if (joined.kind == JoinedEvent::Kind::watch_end) return take_watch_end(now, joined);
  if (joined.event.left_out == LeftOut::no) last_arrival_ = now;
  Sending sending{std::move(id_text)};
  if (clients_ && !joined.event.filled && !clients_->send(now, joined, sending)) return;
  if (limiter_ && !joined.event.filled && joined.event.left_out != LeftOut::standing_watch)
    send(now, joined, std::move(sending));
  else reach(now, joined, std::move(sending));
}

void Engine::take_watch_end(Nanos now, const JoinedEvent& joined) {
  if (!limiter_ || !later_.move_watch_end(now, joined)) end_watch(now, joined.event.id);
}

void Engine::take_held_ends() {
  for (const auto& [time, joined] : held_ends_) {
    advance(time);
    take_watch_end(time, joined);
  }
  held_ends_.clear();
}

void Engine::take_dumps(Nanos now) {
  while (dumps_ && dumps_->next() < now) {
    const Nanos time = dumps_->next();
    if (comes_later()) run_later_arrivals(time);
    server_.configurations().change_until(time);
    server_.run_until(time);
    server_.dump(*dumps_);
  }
}

// After the last request of the log, as finish() goes on without dumps: what comes later than all else is of what is
// left then.
void Engine::take_dumps_to_the_end() {
  while (dumps_ && dumps_->next() != kNever) {
    const Nanos next = std::min(server_.next_event(), later_.next()), time = dumps_->next();
    if (next != kNever) {
      if (comes_later()) advance(std::min(next, time));
      server_.run_until(std::min(next, time));
    }
    if (time < next && dumps_->next() == time) server_.dump(*dumps_);
  }
}

void Engine::advance(Nanos now) {
  if (dumps_) take_dumps(now);
  if (comes_later()) run_later_arrivals(now);
  time_.now = now;
  if (server_.configurations().may_change()) server_.configurations().change_until(now);
}

// Refusals come with arrivals and with deadlines; whoever is refused may come back before `now`.
void Engine::run_later_arrivals(Nanos now) {
  for (;;) {
    const Nanos next = next_answer();
    if (!later_.empty() && later_.next() <= std::min(next, now)) {
      take_later_arrival();
    } else if (next <= now) {
      server_.configurations().change_until(next);
      server_.run_until(next);
      reached_ = next;
    } else {
      return;
    }
  }
}

void Engine::take_later_arrival() {
  const Nanos now = time_.now = reached_ = std::max(later_.next(), reached_);
  LaterArrival arrival = later_.pop();
  if (finishing_ && arrival.sending.attempt > 0 && now > std::max(last_arrival_, log_end_)) {
    arrival.sending.beyond_log = true;
    later_.note_beyond_log();
  }
  server_.configurations().change_until(now);
  if (arrival.joined.kind == JoinedEvent::Kind::watch_end) end_watch(now, arrival.joined.event.id);
  else if (limiter_ && !arrival.sending.sent) send(now, arrival.joined, std::move(arrival.sending));
  else reach(now, arrival.joined, std::move(arrival.sending));
}

void Engine::end_watch(Nanos now, const AuditId& id) {
  server_.run_until(now);
  server_.end_watch(now, id);
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
  if (reason == LeftOut::no && server_.event_senders().abandons(now, joined.event)) reason = LeftOut::abandoned;
  if (reason == LeftOut::no) return server_.arrive(now, joined, std::move(sending));
  context_.drop_attributes(joined.event);
  observers_.on_left_out(now, joined, std::move(sending), reason);
}

void Engine::finish() {
  if (!begun_) return;
  if (scaler_) {
    scaler_->finish(
        [this](Nanos at, const JoinedEvent& due, std::string&& text) { take_scaled(at, due, std::move(text)); });
  }
  finishing_ = true;
  take_held_ends();
  take_dumps_to_the_end();
  while (comes_later()) {
    const Nanos next = std::min(reacts() || resends_ ? server_.next_event() : kNever, later_.next());
    if (next == kNever) break;
    advance(std::min(next, next_answer()));
  }
  if (clients_) clients_->end();
  server_.drain();
}

std::optional<UndecidedReport> Engine::undecided() const {
  const Server::Unknown unknown = server_.unknown();
  if (unknown.undecided == 0 || unknown.waited_in_log + unknown.refused_in_log == 0) return std::nullopt;
  return UndecidedReport{unknown.waited_in_log, unknown.refused_in_log, unknown.without_wait, {}};
}

ReplayFacts Engine::facts(const EngineStart& start) {
  ReplayFacts facts;
  if (context_.options.recorded && context_.options.recorded->version != context_.options.version)
    facts.versions.push_back(context_.options.recorded->version);
  if (!context_.options.in_flight) facts.versions.push_back(context_.options.version);
  server_.add_facts(facts);
  facts.limits_clients = limiter_ != nullptr;
  const Server::Unknown unknown = server_.unknown();
  if (unknown.undecided > 0 && !undecided()) facts.service.totals = unknown.without_wait;
  facts.service.records_waits = has(context_.options.version, Feature::audited_queue_wait);
  if (context_.options.in_flight) return facts;
  ClockFacts& clock = facts.clock.emplace();
  if (!has(context_.options.version, Feature::demand_is_a_number)) clock.odd_deviations = server_.odd_deviations();
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
  if (scaler_) scaler_->fill(report);
  if (!begun_) return;
  report.first_arrival = time_.first_arrival;
  report.last_arrival = std::max({time_.first_arrival, last_arrival_, log_end_});
  server_.fill(report);
  report.retries = later_.retried();
  report.gave_up = later_.gave_up();
  report.retries_beyond_log = later_.beyond_log();
  if (clients_) report.clients = clients_->reports();
  if (clients_) report.retries_dropped = clients_->retries_dropped();
  report.undecided = undecided();
  if (dumps_) dumps_->fill(report);
  report.assumptions = assumptions_of(facts(start_));
}

}  // namespace apf
