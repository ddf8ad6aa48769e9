#include "replay/engine.h"

#include <apf/error.h>

#include <algorithm>
#include <numeric>

#include "base/hash.h"

namespace apf {

namespace {

std::uint64_t short_id(const AuditId& id) { return mix64(id.high ^ 0x9e3779b97f4a7c15ULL, id.low ^ 0xe7037ed1a0b428dbULL); }

}  // namespace

Engine::Engine(const ReplayOptions& options, const std::vector<std::shared_ptr<const Classifier>>& classifiers, Flows& flows,
               DecisionWriter& decisions, OutputFile& timeline)
    : options_(options), classifiers_(classifiers), flows_(flows), decisions_(decisions), timeline_(timeline),
      rules_([&] {
        SeatRules rules = SeatRules::of(options.controller.version);
        if (options.consistent_list_from_cache) rules.consistent_list_from_cache = *options.consistent_list_from_cache;
        return rules;
      }()) {}

void Engine::begin(Nanos first_arrival) {
  begun_ = true;
  first_arrival_ = now_ = first_arrival;
  if (options_.from) from_ = resolve(*options_.from);
  if (options_.to) to_ = resolve(*options_.to);
  ControllerOptions controller = options_.controller;
  controller.start = options_.start ? resolve(*options_.start) : first_arrival;
  if (controller.start > first_arrival)
    throw Error("--start " + format_rfc3339(controller.start) + " is after the first arrival at " + format_rfc3339(first_arrival) +
                "; give the time when the server came up, or leave it out");
  for (std::size_t i = 0; i < options_.config_changes.size(); ++i)
    changes_.emplace_back(std::max(resolve(options_.config_changes[i].first), controller.start), i + 1);
  std::stable_sort(changes_.begin(), changes_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  level_ids_.resize(classifiers_.size());
  controller.watch_dispatching = options_.metrics;
  controller_ = std::make_unique<Controller>(controller, *this);
  for (RunObserver* o : observers_) o->on_begin(*controller_, first_arrival);
  digest(controller.start, options_.config);
}

void Engine::digest(Nanos now, const Config& config) {
  controller_->digest(now, config);
  auto& ids = level_ids_[configuration_];
  ids.clear();
  for (const auto& level : classifiers_[configuration_]->levels()) ids.push_back(controller_->level_id(level.name));
}

void Engine::change_configuration_until(Nanos now) {
  for (; next_change_ < changes_.size() && changes_[next_change_].first <= now; ++next_change_) {
    configuration_ = changes_[next_change_].second;
    digest(changes_[next_change_].first, options_.config_changes[configuration_ - 1].second);
  }
}

void Engine::take(Nanos now, JoinedEvent& joined, std::string id_text) {
  if (!begun_) begin(now);
  now_ = now;
  change_configuration_until(now);
  if (joined.kind == JoinedEvent::Kind::watch_end) {
    controller_->run_until(now);
    end_watch(joined.event.id);
  } else if (joined.event.left_out != LeftOut::no) {
    leave_out(now, joined, std::move(id_text));
  } else {
    arrive(now, joined, std::move(id_text));
  }
}

void Engine::leave_out(Nanos now, const JoinedEvent& joined, std::string id_text) {
  ++left_out_[static_cast<int>(joined.event.left_out)];
  if (!decisions_.active()) return;
  const std::uint64_t place = decisions_.open();
  Decision& decision = decisions_.at(place);
  decision.seq = joined.seq;
  decision.id = joined.event.id;
  decision.id_text = std::move(id_text);
  decision.arrival = now;
  decision.bypassed = true;
  decision.left_out = joined.event.left_out;
  decisions_.close(place);
}

WorkEstimate Engine::estimate(const PreparedEvent& event, LevelId level) const {
  if (event.has_fixed_seats) return event.fixed;
  WorkEstimate work;
  switch (event.seat_kind) {
    case SeatKind::one: break;
    case SeatKind::list: {
      const int most = effective_max_seats(controller_->limits(level).max_seats, rules_.max_list_seats);
      work.initial_seats = std::clamp(event.list_seats, 1, std::max(most, 1));
      break;
    }
    case SeatKind::mutating:
      if (event.keys.count > 0 && watches_.registered() > 0)
        work = mutating_estimate(watches_.count(event.keys), controller_->limits(level).max_seats, rules_);
      break;
  }
  return work;
}

void Engine::arrive(Nanos now, JoinedEvent& joined, std::string id_text) {
  controller_->run_until(now);
  expire_watches(now);
  last_arrival_ = now;
  const std::uint32_t slot = allocate();
  Request& request = requests_[slot];
  request = Request{};
  request.event = joined.event;
  request.arrival = now;
  request.dispatch = kNoTime;
  request.unfinished = joined.unfinished;
  request.in_report = now >= from_ && now < to_;
  const Flows::Choice& choice = flows_.choice(joined.event.flow, configuration_);
  request.report = choice.report;
  request.schema = choice.schema;
  request.level = level_ids_[configuration_][choice.level];
  request.work = estimate(joined.event, request.level);
  if (joined.event.seat_kind == SeatKind::list && !joined.event.has_fixed_seats) ++list_estimates_;
  if (joined.event.watch_key != 0 && joined.event.stage == Stage::response_started)
    open_watches_[short_id(joined.event.id)].key = joined.event.watch_key;
  const std::uint64_t place = decisions_.active() ? decisions_.open() : 0;
  request.decision = place;
  if (decisions_.active()) {
    Decision& decision = decisions_.at(place);
    decision.seq = joined.seq;
    decision.id = joined.event.id;
    decision.id_text = std::move(id_text);
    decision.arrival = now;
    decision.report = choice.report;
    decision.seats = request.work;
  }
  Ticket ticket;
  ticket.level = request.level;
  ticket.flow_hash = choice.hash;
  ticket.work = request.work;
  if (now < 0 || joined.event.wait_limit < kNever - now) ticket.wait_deadline = now + joined.event.wait_limit;  // else never
  ticket.tag = slot;
  if (!observers_.empty()) {
    const LevelLimits& limits = controller_->limits(request.level);
    request.queues = !limits.exempt && limits.queues > 0;
    tell_arrival(now, request);
  }
  refused_on_arrival_ = false;
  const int queue = controller_->arrive(now, ticket);
  if (refused_on_arrival_) return;
  Request& arrived = requests_[slot];
  arrived.queued = arrived.dispatch == kNoTime;
  if (!observers_.empty() && arrived.queues) {
    const int length = controller_->queue_set(arrived.level).length_after_enqueue();
    for (RunObserver* o : observers_) o->on_enqueue(now, observed(arrived), length);
  }
  if (decisions_.active()) decisions_.at(place).queue = queue;
}

Nanos Engine::typical_service(const Request& request) {
  ++refused_given_service_;
  if (options_.refused_execution) return *options_.refused_execution;
  const auto it = services_.find(mix64(request.schema + 1, request.event.service_key));
  const Service& service = it != services_.end() ? it->second : any_service_;
  return service.count == 0 ? options_.service_floor : static_cast<Nanos>(service.sum / static_cast<double>(service.count));
}

Nanos Engine::service_end(const Request& request, Nanos now) {
  const PreparedEvent& event = request.event;
  if (event.watch) {
    if (event.execution != kNoTime) return now + std::max<Nanos>(event.execution, 0);
    ++watches_without_init_;
    return now + options_.watch_init;
  }
  Nanos end;
  if (event.execution != kNoTime) {
    end = now + std::max<Nanos>(event.execution, 0);
  } else if (event.recorded_refusal || request.unfinished || event.stage_time == kNoTime) {
    return now + typical_service(request);
  } else if (event.queue_wait != kNoTime) {
    end = now + std::max(options_.service_floor, event.stage_time - event.received - event.queue_wait);
  } else {
    ++anchored_;
    end = std::max(now + options_.service_floor, event.stage_time);
  }
  const auto service = static_cast<double>(end - now);
  for (Service* s : {&services_[mix64(request.schema + 1, event.service_key)], &any_service_}) {
    s->sum += service;
    ++s->count;
  }
  return end;
}

Nanos Engine::on_dispatch(std::uint64_t tag, Nanos now) {
  Request& request = requests_[tag];
  request.dispatch = now;
  const LevelLimits& limits = controller_->limits(request.level);
  int final_seats = request.work.final_seats;
  if (!limits.exempt && limits.queues > 0) final_seats = std::min(final_seats, controller_->current_cl(request.level));
  request.seats = std::max(request.work.initial_seats, final_seats);
  LevelBook& level = book(request.level);
  level.seats_now += request.seats;
  level.seats.set(now, level.seats_now);
  for (RunObserver* o : observers_) o->on_dispatch(now, observed(request));
  if (request.event.watch_key != 0) start_watch(request.event);
  const Nanos end = service_end(request, now);
  if (decisions_.active()) {
    Decision& decision = decisions_.at(request.decision);
    decision.wait = now - request.arrival;
    decision.dispatch = now;
    decision.finish = end;
  }
  return end;
}

void Engine::on_release(std::uint64_t tag, Nanos now) {
  Request& request = requests_[tag];
  drained_ = now;
  LevelBook& level = book(request.level);
  level.seats_now -= request.seats;
  level.seats.set(now, level.seats_now);
  for (RunObserver* o : observers_) o->on_release(now, observed(request));
  const Nanos wait = request.dispatch - request.arrival;
  if (request.in_report) {
    add(flows_.reports()[request.report].tally,
        {Outcome::executed, request.queued, wait, request.seats * (static_cast<double>(now - request.dispatch) / 1e9)});
    compare_with_log(request, Outcome::executed, wait);
  }
  if (decisions_.active()) {
    decisions_.at(request.decision).release = now;
    decisions_.close(request.decision);
  }
  free(static_cast<std::uint32_t>(tag));
}

void Engine::on_refuse(std::uint64_t tag, Nanos now, Outcome outcome, int retry_after_seconds) {
  refused_on_arrival_ = true;
  drained_ = now;
  Request& request = requests_[tag];
  const Nanos wait = now - request.arrival;
  for (RunObserver* o : observers_) o->on_refuse(now, observed(request), outcome);
  if (request.in_report) {
    add(flows_.reports()[request.report].tally, {outcome, request.queued, wait, 0});
    compare_with_log(request, outcome, wait);
  }
  if (request.event.watch_key != 0 && request.event.stage == Stage::response_started)
    open_watches_.erase(short_id(request.event.id));
  if (decisions_.active()) {
    Decision& decision = decisions_.at(request.decision);
    decision.outcome = outcome;
    decision.wait = wait;
    decision.retry_after = retry_after_seconds;
    decisions_.close(request.decision);
  }
  free(static_cast<std::uint32_t>(tag));
}

void Engine::on_round(const Round& round) {
  for (RunObserver* o : observers_) o->on_round(round);
  for (const LevelRound& r : round.levels) {
    LevelBook& level = book(r.level);
    level.current.set(round.time, r.current_cl);
    level.borrowed.set(round.time, std::max(0, r.current_cl - r.nominal_cl));
    level.lent.set(round.time, std::max(0, r.nominal_cl - r.current_cl));
    level.nominal_cl = r.nominal_cl;
    level.min_cl = r.min_cl;
    level.max_cl = r.max_cl;
    if (timeline_.active()) timeline_.write(render_timeline(round, r, controller_->level_name(r.level), options_.server) + "\n");
  }
}

void Engine::on_finish(std::uint64_t tag, Nanos now) {
  for (RunObserver* o : observers_) o->on_finish(now, observed(requests_[tag]));
}

void Engine::on_no_accommodation(std::uint64_t tag, Nanos now) {
  for (RunObserver* o : observers_) o->on_no_accommodation(now, observed(requests_[tag]));
}

ObservedRequest Engine::observed(const Request& request) const {
  ObservedRequest out;
  out.level = request.level;
  out.schema = request.schema;
  out.estimated_seats = std::max(request.work.initial_seats, request.work.final_seats);
  out.seats = request.seats;
  out.arrival = request.arrival;
  out.dispatch = request.dispatch;
  out.queues = request.queues;
  out.watch = request.event.watch;
  out.read_only = request.event.read_only;
  return out;
}

void Engine::tell_arrival(Nanos now, const Request& request) {
  const bool asks = request.event.seat_kind == SeatKind::mutating;
  const std::int64_t watches = asks ? watches_.count(request.event.keys) : -1;
  for (RunObserver* o : observers_) o->on_arrive(now, observed(request), watches);
}

Engine::LevelBook& Engine::book(LevelId level) {
  while (books_.size() <= level) {
    LevelBook& added = books_.emplace_back();
    for (TimeAverage* average : {&added.seats, &added.current, &added.borrowed, &added.lent}) average->limit(from_, to_);
    added.seats.set(now_, 0);
  }
  return books_[level];
}

void Engine::start_watch(const PreparedEvent& event) {
  if (event.stage == Stage::response_started && !event.trace) {
    const auto it = open_watches_.find(short_id(event.id));
    if (it == open_watches_.end()) return;  // it ended while it waited
    it->second.counted = true;
  } else {
    const Nanos end = event.trace ? event.watch_end : event.stage_time;
    if (end != kNoTime) watch_ends_.emplace(end, event.watch_key);
  }
  watches_.add(event.watch_key);
  watches_peak_ = std::max(watches_peak_, static_cast<std::uint64_t>(watches_.registered()));
}

void Engine::end_watch(const AuditId& id) {
  const auto it = open_watches_.find(short_id(id));
  if (it == open_watches_.end()) return;
  if (it->second.counted) watches_.remove(it->second.key);
  open_watches_.erase(it);
}

void Engine::expire_watches(Nanos now) {
  while (!watch_ends_.empty() && watch_ends_.top().first <= now) {
    watches_.remove(watch_ends_.top().second);
    watch_ends_.pop();
  }
}

void Engine::compare_with_log(const Request& request, Outcome outcome, Nanos wait) {
  if (request.event.trace && request.event.code == 0) return;  // written by hand: it records nothing
  const bool refused = outcome != Outcome::executed;
  if (request.event.recorded_refusal) ++recorded_.refused_in_log;
  if (request.event.recorded_refusal && refused) ++recorded_.refused_in_both;
  else if (request.event.recorded_refusal) ++recorded_.refused_only_in_log;
  else if (refused) ++recorded_.refused_only_in_replay;
  if (!refused && !request.event.recorded_refusal && request.event.queue_wait != kNoTime) {
    ++recorded_.waits_compared;
    recorded_wait_sum_ += static_cast<double>(request.event.queue_wait) / 1e9;
    replayed_wait_sum_ += static_cast<double>(wait) / 1e9;
  }
}

std::uint32_t Engine::allocate() {
  if (free_ == 0) {
    requests_.emplace_back();
    return static_cast<std::uint32_t>(requests_.size() - 1);
  }
  const std::uint32_t slot = free_ - 1;
  free_ = requests_[slot].next_free;
  return slot;
}

void Engine::free(std::uint32_t slot) {
  requests_[slot].next_free = free_;
  free_ = slot + 1;
}

void Engine::finish() {
  if (!begun_) return;
  controller_->drain();
}

}  // namespace apf
