#include "replay/engine/engine.h"

#include <algorithm>

namespace apf {

Engine::Engine(const RunContext& context, const RunOutputs& outputs, ClientModels* clients)
    : context_(context),
      observers_(context, outputs),
      clients_(context, observers_, clients),
      server_(context, time_, observers_, clients_) {
  if (!context.options.scales.empty()) scaler_ = std::make_unique<LoadScaler>(context);
  if (context.options.dump_at.empty()) return;
  dumps_ = std::make_unique<DumpBook>(context);
  observers_.add(*dumps_);
}

void Engine::begin(Nanos first_arrival, const EngineStart& start) {
  begun_ = true;
  start_ = start;
  time_.begin(first_arrival, context_.options);
  server_.begin(start);
  is_plain_ = !dumps_ && !context_.options.retries && !context_.options.in_flight && clients_.sends_as_logged() &&
              observers_.are_books_alone();
}

void Engine::add_standing_watch(WatchKey key, Nanos end) {
  const std::size_t times = scaler_ ? scaler_->times_standing() : 1;
  for (std::size_t i = 0; i < times; ++i) server_.watches().add_standing(key, end);
}

void Engine::take_often(Nanos now, const JoinedEvent& joined, std::string&& id_text) {
  scaler_->take(now, joined, std::move(id_text),
                [this](Nanos at, const JoinedEvent& due, std::string&& text) { take_once(at, due, std::move(text)); });
}

void Engine::take_any(Nanos now, const JoinedEvent& joined, std::string&& id_text) {
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
  if (clients_.send(now, joined, sending)) reach(now, joined, std::move(sending));
}

void Engine::take_watch_end(Nanos now, const JoinedEvent& joined) {
  if (!clients_.has_limiter() || !clients_.later().move_watch_end(now, joined)) server_.end_watch(now, joined.event.id);
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
    if (clients_.comes_later()) run_later_arrivals(time);
    server_.configurations().change_until(time);
    server_.filter().run_until(time);
    server_.dump(*dumps_);
  }
}

// After the last request of the log, as finish() goes on without dumps: what comes later than all else is of what is
// left then.
void Engine::take_dumps_to_the_end() {
  while (dumps_ && dumps_->next() != kNever) {
    const Nanos next = std::min(server_.filter().next_event(), clients_.later().next()), time = dumps_->next();
    if (next != kNever) {
      if (clients_.comes_later()) advance(std::min(next, time));
      server_.configurations().change_until(std::min(next, time));
      server_.filter().run_until(std::min(next, time));
    }
    if (time < next && dumps_->next() == time) server_.dump(*dumps_);
  }
}

void Engine::advance(Nanos now) {
  if (dumps_) take_dumps(now);
  if (clients_.comes_later()) run_later_arrivals(now);
  time_.now = now;
  if (server_.configurations().may_change()) server_.configurations().change_until(now);
}

Nanos Engine::next_answer() {
  if (!clients_.awaits_answers()) return kNever;
  return clients_.has_models() ? server_.filter().next_step() : server_.filter().next_event();
}

// Refusals come with arrivals and with deadlines; whoever is refused may come back before `now`.
void Engine::run_later_arrivals(Nanos now) {
  for (;;) {
    const Nanos next = next_answer();
    if (!clients_.later().empty() && clients_.later().next() <= std::min(next, now)) {
      take_later_arrival();
    } else if (next <= now) {
      server_.configurations().change_until(next);
      server_.filter().run_until(next);
      reached_ = next;
    } else {
      return;
    }
  }
}

void Engine::take_later_arrival() {
  LaterArrivals& later = clients_.later();
  const Nanos now = time_.now = reached_ = std::max({later.next(), reached_, time_.now});
  LaterArrival arrival = later.pop();
  if (finishing_ && arrival.sending.attempt > 0 && now > std::max(last_arrival_, log_end_)) {
    arrival.sending.beyond_log = true;
    later.note_beyond_log();
  }
  server_.configurations().change_until(now);
  if (arrival.joined.kind == JoinedEvent::Kind::watch_end) server_.end_watch(now, arrival.joined.event.id);
  else if (clients_.pass_limiter(now, arrival.joined, arrival.sending))
    reach(now, arrival.joined, std::move(arrival.sending));
}

void Engine::reach(Nanos now, const JoinedEvent& joined, Sending&& sending) {
  LeftOut reason = joined.event.left_out;
  if (reason == LeftOut::no && context_.options.in_flight && joined.event.watch) reason = LeftOut::long_running;
  if (reason == LeftOut::no && clients_.abandons(now, joined.event)) reason = LeftOut::abandoned;
  if (reason == LeftOut::no && clients_.leaves_out(joined, sending)) reason = LeftOut::further_attempt;
  if (reason == LeftOut::no) return server_.arrive(now, joined, &sending);
  context_.drop_attributes(joined.event);
  observers_.on_left_out(now, joined, std::move(sending), reason);
}

// Configurations that come after the last request, while anything waits or runs.
void Engine::take_changes_to_the_end() {
  Configurations& configurations = server_.configurations();
  for (;;) {
    const Nanos change = configurations.next_change(), next = server_.filter().next_step();
    if (change == kNever || next == kNever) return;
    if (change <= next) configurations.change_until(change);
    else server_.filter().run_until(next);
  }
}

void Engine::finish() {
  if (!begun_) return;
  if (scaler_) {
    scaler_->finish(
        [this](Nanos at, const JoinedEvent& due, std::string&& text) { take_once(at, due, std::move(text)); });
  }
  finishing_ = true;
  take_held_ends();
  take_dumps_to_the_end();
  while (clients_.comes_later()) {
    const Nanos next =
        std::min(clients_.awaits_answers() ? server_.filter().next_event() : kNever, clients_.later().next());
    if (next == kNever) break;
    advance(std::min(next, next_answer()));
  }
  clients_.end();
  take_changes_to_the_end();
  server_.filter().drain();
}

void Engine::fill(ReplayReport& report) {
  report.version = context_.options.version;
  report.server_concurrency_limit = context_.seats();
  report.seats_by_log = context_.options.seats_by_log && context_.clock.server_concurrency_limit();
  observers_.fill_left_out(report);
  if (scaler_) scaler_->fill(report);
  report.execution_scales = context_.options.execution_scales;
  if (!begun_) return;
  report.first_arrival = time_.first_arrival;
  report.last_arrival = std::max({time_.first_arrival, last_arrival_, log_end_});
  server_.fill(report);
  clients_.fill(report);
  if (dumps_) dumps_->fill(report);
  ReplayFacts facts = server_.facts(start_);
  facts.limits_clients = clients_.has_limiter();
  if (const auto left_out = report.left_out.find(to_string(LeftOut::further_attempt));
      left_out != report.left_out.end())
    facts.further_attempts = left_out->second;
  report.assumptions = assumptions_of(facts);
  const ReplayOptions& options = context_.options;
  if (options.in_flight) return;
  for (Remark& remark : maintenance_remarks(maintained_objects(options.config, options.version)))
    report.assumptions.push_back(std::move(remark));
}

}  // namespace apf
