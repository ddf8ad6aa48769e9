#include "replay/engine.h"

#include <apf/error.h>

#include <algorithm>
#include <numeric>

#include "base/hash.h"
#include "classify/dialect.h"

namespace apf {

namespace {

constexpr std::uint8_t kMostRetries = 10;  // client-go's default

}  // namespace

Engine::Engine(const ReplayOptions& options, const std::vector<std::shared_ptr<const Classifier>>& classifiers,
               Flows& flows, DecisionWriter& decisions, OutputFile& timeline, ServerClock& clock,
               const std::vector<RecordedPlace>& places, const std::vector<std::vector<int>>& lists)
    : options_(options),
      classifiers_(classifiers),
      flows_(flows),
      decisions_(decisions),
      timeline_(timeline),
      rules_([&] {
        SeatRules rules = SeatRules::of(options.controller.version);
        if (options.consistent_list_from_cache) rules.consistent_list_from_cache = *options.consistent_list_from_cache;
        return rules;
      }()),
      clock_(clock),
      schedule_(clock),
      agreement_(places, flows.reports()),
      lists_(lists) {}

void Engine::begin(Nanos first_arrival, const EngineStart& start) {
  begun_ = true;
  start_ = start;
  first_arrival_ = now_ = first_arrival;
  if (options_.from) from_ = resolve(*options_.from);
  if (options_.to) to_ = resolve(*options_.to);
  ControllerOptions controller = options_.controller;
  controller.mandatory_levels = imagines_mandatory_levels(options_.config);
  controller.start = next_tick_ = start.start;
  std::vector<std::pair<Nanos, std::size_t>> changes;
  for (std::size_t i = 0; i < options_.config_changes.size(); ++i)
    changes.emplace_back(std::max(resolve(options_.config_changes[i].first), controller.start), i + 1);
  std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const Config* before = &options_.config;
  for (const auto& [time, configuration] : changes) {
    const Config& after = options_.config_changes[configuration - 1].second;
    schedule_.add(time, configuration, start.recorded && status_changes(*before, after));
    before = &after;
  }
  schedule_.begin(controller.start);
  const std::size_t first_scrape = options_.objects.empty() ? 0 : 1;
  for (std::size_t i = 0; i < options_.objects_at.size(); ++i)
    scrapes_.emplace_back(resolve(options_.objects_at[i].first), first_scrape + i);
  std::stable_sort(scrapes_.begin(), scrapes_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (first_scrape == 0 && !scrapes_.empty()) scrape_ = scrapes_.front().second;
  level_ids_.resize(classifiers_.size());
  controller.watch_dispatching = options_.metrics;
  begin_stages();
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

Nanos Engine::next_adjustment(Nanos tick) {
  if (tick > start_.start + kBorrowingPeriod) clock_.forget_before(tick - kBorrowingPeriod);
  return next_tick_ = clock_.next_tick(tick);
}

// Steps are sought tick by tick: which lines of the server's log belong to a tick is known when the one before is past.
void Engine::change_configuration_until(Nanos now) {
  for (;;) {
    const Nanos limit = in_flight_ ? now : std::min(now, next_tick_);
    const bool lingers = reaped_ > limit - 2 * kSecond;
    if (const auto step = schedule_.next(limit, next_tick_, lingers)) {
      if (in_flight_) {
        if (!step->again) configuration_ = step->configuration;
      } else if (step->again) {
        controller_->digest_again(step->time);
      } else {
        configuration_ = step->configuration;
        digest(step->time, options_.config_changes[configuration_ - 1].second);
      }
    } else if (limit == now) {
      return;
    } else {
      controller_->run_until(schedule_.has_steps_left() ? limit : now);
    }
  }
}

void Engine::advance(Nanos now) {
  if (options_.retries || limiter_) run_later_arrivals(now);
  now_ = now;
  if (schedule_.may_have_steps()) change_configuration_until(now);
}

void Engine::take(Nanos now, const JoinedEvent& joined, std::string id_text) {
  advance(now);
  if (joined.kind == JoinedEvent::Kind::watch_end) {
    if (limiter_ && watch_end_moves(now, joined)) return;
    run_until(now);
    return end_watch(joined.event.id);
  }
  if (joined.event.left_out == LeftOut::no) last_arrival_ = now;
  if (limiter_ && joined.event.left_out != LeftOut::standing_watch) send(now, joined, {std::move(id_text)});
  else reach(now, joined, {std::move(id_text)});
}

int Engine::list_estimate(const PreparedEvent& event) {
  if (options_.objects_at.size() + (options_.objects.empty() ? 0 : 1) <= 1) return event.list_seats;
  for (; next_scrape_ < scrapes_.size() && scrapes_[next_scrape_].first <= now_; ++next_scrape_)
    scrape_ = scrapes_[next_scrape_].second;
  return lists_[static_cast<std::size_t>(event.list_seats)][scrape_];
}

WorkEstimate Engine::estimate(const PreparedEvent& event, LevelId level) {
  WorkEstimate work;
  if (event.has_fixed_seats) work = event.fixed;
  if (event.has_fixed_seats && !event.http) return work;
  switch (event.seat_kind) {
    case SeatKind::one:
      break;
    case SeatKind::list: {  // the level's cap holds for what another configuration allowed, too
      const int most = effective_max_seats(controller_->limits(level).max_seats, rules_.max_list_seats);
      work.initial_seats =
          std::clamp(event.has_fixed_seats ? work.initial_seats : list_estimate(event), 1, std::max(most, 1));
      break;
    }
    case SeatKind::mutating:
      if (!event.has_fixed_seats && event.keys.count > 0 && watches_.registered() > 0)
        work = mutating_estimate(watches_.count(event.keys), controller_->limits(level).max_seats, rules_);
      break;
  }
  return work;
}

void Engine::arrive(Nanos now, const JoinedEvent& joined, Sending&& sending) {
  run_until(now);
  expire_watches(now);
  const std::uint32_t slot = allocate();
  Request& request = requests_[slot];
  request.event = joined.event;
  request.seats = 0;
  request.queued = false;
  request.arrival = now;
  request.dispatch = kNoTime;
  request.unfinished = joined.unfinished;
  request.outcome = Outcome::executed;
  request.refused_inside_in_log = false;
  request.attempt = sending.attempt;
  request.delay = sending.delay;
  request.seq = joined.seq;
  request.in_report = now >= from_ && now < to_;
  const Flows::Choice& choice = flows_.choice(joined.event.flow, configuration_);
  if (joined.event.fixed_flow) ++fixed_flows_;
  if (choice.missing) ++missing_schemas_;
  request.report = choice.report;
  request.schema = choice.schema;
  request.level = level_ids_[configuration_][choice.level];
  if (!in_flight_) {
    request.work = estimate(joined.event, request.level);
    if (joined.event.seat_kind == SeatKind::list && !joined.event.has_fixed_seats) ++list_estimates_;
  }
  if (joined.event.watch_key != 0 && joined.event.stage == Stage::response_started)
    open_watches_[short_id(joined.event.id)].key = joined.event.watch_key;
  const std::uint64_t place = decisions_.active() ? decisions_.open() : 0;
  request.decision = place;
  if (decisions_.active()) {
    Decision& decision = decisions_.at(place);
    decision.seq = joined.seq;
    decision.attempt = sending.attempt;
    decision.stage = in_flight_ ? AdmissionStage::max_in_flight : AdmissionStage::apf;
    decision.delay = sending.delay;
    decision.id = joined.event.id;
    decision.id_text = std::move(sending.id_text);
    decision.arrival = now;
    decision.report = choice.report;
    decision.seats = request.work;
  }
  refused_on_arrival_ = false;
  if (in_flight_)
    return in_flight_->arrive(now, {slot, joined.event.mutating, joined.event.masters, request.in_report});
  Ticket ticket;
  ticket.level = request.level;
  ticket.flow_hash = choice.hash;
  ticket.work = request.work;
  if (now < 0 || joined.event.wait_limit < kNever - now)
    ticket.wait_deadline = now + joined.event.wait_limit;  // else never
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

void Engine::foresee(const PreparedEvent& event) {
  if (event.left_out != LeftOut::no || event.watch || event.recorded_refusal) return;
  Nanos time = logged_execution(event, start_.overhead);
  // Above half a second the server tells the wait; below, all of it may have been execution.
  if (time == kNoTime && event.stage_time != kNoTime && event.stage_time - event.received < kSecond / 2)
    time = event.stage_time - event.received;
  if (time != kNoTime && time >= 0)
    services_.foresee(flows_.choice(event.flow, configuration_).schema, event.service_key, time);
}

Nanos Engine::typical_service(const Request& request) {
  ++refused_given_service_;
  if (request.event.recorded_refusal) ++refused_let_in_;
  if (options_.refused_execution) return *options_.refused_execution;
  return services_.typical(request.schema, request.event.service_key, options_.service_floor);
}

Nanos Engine::service_end(const Request& request, Nanos now) {
  const PreparedEvent& event = request.event;
  if (event.watch) {
    if (event.execution != kNoTime) return now + std::max<Nanos>(event.execution, 0);
    ++watches_without_init_;
    return now + options_.watch_init;
  }
  if (request.refused_inside_in_log)
    return now + (request.outcome == Outcome::executed ? typical_service(request) : options_.service_floor);
  Nanos end;
  if (event.execution != kNoTime) {
    end = now + std::max<Nanos>(logged_execution(event, start_.overhead), 0);
  } else if (event.recorded_refusal || request.unfinished || event.stage_time == kNoTime) {
    return now + typical_service(request);
  } else if (event.queue_wait != kNoTime) {
    end = now + std::max(options_.service_floor, logged_execution(event, start_.overhead));
  } else {
    ++anchored_;
    end = std::max(now + options_.service_floor, event.stage_time);
  }
  services_.add(request.schema, event.service_key, end - now);
  return end;
}

void Engine::take_seats(Request& request, Nanos now) {
  const LevelLimits& limits = controller_->limits(request.level);
  int final_seats = request.work.final_seats;
  if (!limits.exempt && limits.queues > 0) final_seats = std::min(final_seats, controller_->current_cl(request.level));
  request.seats = std::max(request.work.initial_seats, final_seats);
  LevelBook& level = book(request.level);
  level.seats_now += request.seats;
  level.seats.set(now, level.seats_now);
}

Nanos Engine::on_dispatch(std::uint64_t tag, Nanos now) {
  Request& request = requests_[tag];
  request.dispatch = now;
  if (in_flight_) request.seats = 1;
  else take_seats(request, now);
  for (RunObserver* o : observers_) o->on_dispatch(now, observed(request));
  if (request.event.watch_key != 0) start_watch(request.event);
  if (event_limits_ || quotas_) admit(request, now);
  Nanos end = service_end(request, now);
  if (request.outcome != Outcome::executed) end = std::min(end, now + options_.service_floor);
  if (quotas_) quotas_->settle(end);
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
  if (!in_flight_) {
    LevelBook& level = book(request.level);
    level.seats_now -= request.seats;
    level.seats.set(now, level.seats_now);
  }
  for (RunObserver* o : observers_) o->on_release(now, observed(request));
  const Nanos wait = request.dispatch - request.arrival;
  if (request.in_report) {
    admission().pass(request.event.requester, wait);
    add(flows_.reports()[request.report].tally,
        {request.outcome, request.queued, wait, request.seats * (static_cast<double>(now - request.dispatch) / 1e9)});
    if (request.attempt == 0)
      agreement_.compare(request.event, request.report, Outcome::executed, wait, start_.overhead);
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
    admission().refuse(request.event.requester, to_string(outcome));
    add(flows_.reports()[request.report].tally, {outcome, request.queued, wait, 0});
    if (request.attempt == 0) agreement_.compare(request.event, request.report, outcome, wait, start_.overhead);
  }
  if (request.event.watch_key != 0 && request.event.stage == Stage::response_started)
    open_watches_.erase(short_id(request.event.id));
  if (options_.retries && !request.event.recorded_refusal)
    come_back(request, now, retry_after_seconds,
              decisions_.active() ? decisions_.at(request.decision).id_text : std::string());
  else drop_attributes(request.event);
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
  if (in_flight_) return;
  if (round.config && controller_) note_lingering(round);
  if (const ServerClock::Burst* told = clock_.at(round.time)) {
    for (const auto& [name, limit] : told->limits) {
      for (const LevelRound& r : round.levels)
        if (controller_->level_name(r.level) == name) agreement_.compare_limit(r.current_cl == limit);
    }
  }
  for (RunObserver* o : observers_) o->on_round(round);
  for (const LevelRound& r : round.levels) {
    LevelBook& level = book(r.level);
    level.current.set(round.time, r.current_cl);
    level.borrowed.set(round.time, std::max(0, r.current_cl - r.nominal_cl));
    level.lent.set(round.time, std::max(0, r.nominal_cl - r.current_cl));
    level.nominal_cl = r.nominal_cl;
    level.min_cl = r.min_cl;
    level.max_cl = r.max_cl;
    if (timeline_.active())
      timeline_.write(render_timeline(round, r, controller_->level_name(r.level), options_.server) + "\n");
  }
}

// A level that is no longer wanted makes the server digest anew when it becomes idle; so does the replay.
void Engine::note_lingering(const Round& round) {
  const Config& config = configuration_ == 0 ? options_.config : options_.config_changes[configuration_ - 1].second;
  const auto wanted = [&](const LevelRound& r) {
    const std::string& name = controller_->level_name(r.level);
    return name == "exempt" || name == "catch-all" ||
           std::any_of(config.priority_levels.begin(), config.priority_levels.end(),
                       [&](const PriorityLevel& level) { return level.meta.name == name; });
  };
  if (!std::all_of(round.levels.begin(), round.levels.end(), wanted)) reaped_ = INT64_MAX;
  else if (reaped_ == INT64_MAX) reaped_ = round.time;
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
  out.read_only = !request.event.mutating;
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
    for (TimeAverage* average : {&added.seats, &added.current, &added.borrowed, &added.lent})
      average->limit(from_, to_);
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

// As client-go does it: after as many seconds as Retry-After says, up to ten times. A refusal that the log shows was
// followed by whatever the log shows.
void Engine::come_back(const Request& request, Nanos now, int retry_after_seconds, std::string id_text) {
  if (request.attempt == kMostRetries) {
    ++gave_up_;
    return drop_attributes(request.event);
  }
  LaterArrival again;
  const Nanos time = now + retry_after_seconds * kSecond;
  again.joined.event = request.event;
  again.joined.seq = request.seq;
  again.joined.unfinished = request.unfinished;
  move_later(again.joined.event, time - request.arrival);
  again.sending.id_text = std::move(id_text);
  again.sending.attempt = static_cast<std::uint8_t>(request.attempt + 1);
  later_.push(time, std::move(again));
  ++retried_;
}

void Engine::add_standing_watch(WatchKey key, Nanos end) {
  watches_.add(key);
  watch_ends_.emplace(end, key);
  ++standing_watches_;
  watches_peak_ = std::max(watches_peak_, static_cast<std::uint64_t>(watches_.registered()));
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
  while (options_.retries || limiter_) {
    const Nanos next = std::min(options_.retries ? next_event() : kNever, later_.empty() ? kNever : later_.next());
    if (next == kNever) break;
    advance(next);
  }
  if (in_flight_) in_flight_->drain();
  else controller_->drain();
}

}  // namespace apf
