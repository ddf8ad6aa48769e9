#include "replay/engine/server.h"

#include <algorithm>

#include "base/releases.h"
#include "classify/dialect.h"
#include "replay/stages/handler_stages.h"

namespace apf {

namespace {

// A copy is another request.
std::uint64_t number_of(const LiveRequest& request) {
  constexpr int kSequenceBits = 48;
  return request.seq | static_cast<std::uint64_t>(request.event.copy) << kSequenceBits;
}

}  // namespace

Server::Server(const RunContext& context, const RunTime& time, Observers& observers, ClientSide& clients)
    : context_(context),
      time_(time),
      observers_(observers),
      clients_(clients),
      handler_stages_(handler_stages(context.options)),
      configurations_(context),
      watches_(context.options.min_request_timeout),
      cost_(context, watches_) {}

void Server::begin(const EngineStart& start) {
  const ReplayOptions& options = context_.options;
  ControllerListener& listener = *this;
  cost_.begin(time_, start.overhead);
  if (options.in_flight)
    in_flight_ = std::make_unique<MaxInFlight>(*options.in_flight, listener, time_.now, time_.from, time_.to);
  ControllerOptions controller;
  controller.version = options.version;
  controller.borrowing = options.borrowing;
  controller.mandatory_levels = imagines_mandatory_levels(options.config);
  controller.start = start.start;
  controller.server_concurrency_limit = context_.seats();
  controller.lazy_wait_limit = options.request_timeout / 4;
  controller.watch_dispatching = options.metrics;
  controller.watch_finishing = observers_.observe_queues() || clients_.has_models();
  controller_ = std::make_unique<Controller>(controller, listener);
  filter_ = in_flight_ ? static_cast<Filter*>(in_flight_.get()) : controller_.get();
  observers_.begin(time_, *controller_, handler_stages_, start.overhead);
  configurations_.begin(time_, start, *controller_, !in_flight_);
}

void Server::foresee(const PreparedEvent& event) {
  if (event.left_out != LeftOut::no) return;  // it has no flow
  cost_.foresee(event, context_.choice(event.flow, configurations_.current()).schema);
}

[[gnu::always_inline]] inline void Server::enter(LiveRequest& request, Nanos now, const JoinedEvent& joined,
                                                 const Sending& sending) {
  request.seq = joined.seq;
  request.unfinished = joined.unfinished;
  request.attempt = sending.attempt;
  request.chain = sending.chain;
  request.delay = sending.delay;
  request.arrival = now;
  request.beyond_log = sending.beyond_log;
  request.in_report = time_.is_in_report(now) && !sending.beyond_log;
  const Flows::Choice& choice = context_.choice(joined.event.flow, configurations_.current());
  request.report = choice.report;
  request.schema = choice.schema;
  fixed_flows_ += joined.event.fixed_flow ? 1 : 0;
  missing_schemas_ += choice.missing ? 1 : 0;
  cost_.note(joined.event);
  watches_.announce(joined.event);
  request.patience = clients_.patience(joined.event);
  if (in_flight_) return;
  request.flow_hash = choice.hash;
  request.level = configurations_.level_id(choice.level);
  const LevelLimits& limits = controller_->limits(request.level);
  request.work = cost_.estimate(joined.event, limits, now);
  request.wanted = cost_.wanted();
  request.list_bytes = cost_.list_bytes();
  request.queues = observers_.observe_queues() && !limits.exempt && limits.queues > 0;
}

[[gnu::always_inline]] inline void Server::queue(std::uint32_t slot, Nanos now) {
  Ticket ticket;
  {
    const LiveRequest& arrived = request(slot);
    ticket.level = arrived.level;
    ticket.flow_hash = arrived.flow_hash;
    // Each for itself: what has just been written in parts is slow to read as a whole.
    ticket.work.initial_seats = arrived.work.initial_seats;
    ticket.work.final_seats = arrived.work.final_seats;
    ticket.work.additional_latency = arrived.work.additional_latency;
    const Nanos limit = clients_.wait_limit(arrived);
    if (limit != Patience::kForEver) ticket.wait_deadline = later(now, limit);
    ticket.tag = slot;
  }
  refused_on_arrival_ = false;
  arriving_ = slot;
  const int queue = controller_->arrive(now, ticket);
  if (refused_on_arrival_) return;
  LiveRequest& arrived = request(slot);
  arrived.queued = arrived.dispatch == kNoTime;
  observers_.on_enqueue(now, arrived, queue);
}

void Server::arrive(Nanos now, const JoinedEvent& joined, Sending* sending) {
  static const Sending as_logged;
  filter_->run_until(now);
  watches_.expire(now);
  tell_ended_watches();
  const std::uint32_t slot = requests_.emplace(joined.event);
  LiveRequest& arrived = request(slot);
  enter(arrived, now, joined, sending ? *sending : as_logged);
  observers_.on_any_arrival(arrived);
  if (sending) {
    const bool counts_watches = observers_.observe_queues() && arrived.event.seat_kind == SeatKind::mutating;
    observers_.on_arrive(now, arrived, std::move(sending->id_text),
                         counts_watches ? watches_.count(arrived.event.keys) : -1);
  }
  if (in_flight_) in_flight_->arrive(now, {slot, arrived.event.mutating, arrived.event.masters, arrived.in_report});
  else queue(slot, now);
}

void Server::end_watch(Nanos now, const AuditId& id) {
  filter_->run_until(now);
  watches_.expire(now);
  watches_.end(id, now);
  tell_ended_watches();
}

void Server::tell_ended_watches() {
  for (const Watches::Ended& watch : watches_.ended())
    observers_.tell(&RunObserver::on_watch_end, watch.time, watch.endpoint, watch.since);
  watches_.ended().clear();
}

Nanos Server::on_dispatch(std::uint64_t tag, Nanos now) {
  LiveRequest& request = this->request(tag);
  request.dispatch = now;
  request.seats = 1;
  if (!in_flight_) {
    const LevelLimits& limits = controller_->limits(request.level);
    int final_seats = request.work.final_seats;
    if (!limits.exempt && limits.queues > 0)
      final_seats = std::min(final_seats, controller_->current_cl(request.level));
    request.seats = std::max(request.work.initial_seats, final_seats);
  }
  observers_.on_dispatch(now, request);
  watches_.start(request.event, now);
  const Nanos held = handler_stages_.empty() ? 0 : admit(request, now);
  Nanos end = cost_.end_of(request, later(now, held));
  if (request.patience != kNever) end = std::clamp(later(request.arrival, request.patience), now, end);
  for (const auto& stage : handler_stages_) stage->settle(end);
  observers_.on_start(request, end);
  return end;
}

// Who is refused here has had its seats, and is not sent again, since the answer names no time to come back after.
Nanos Server::admit(LiveRequest& request, Nanos now) {
  if (request.event.attributes == 0 || !context_.attributes) {
    for (const auto& stage : handler_stages_)
      observers_.on_verdict(request, *stage, HandlerStage::Verdict::bypassed, nullptr);
    return 0;
  }
  Nanos held = 0;
  const AdmissionAttributes& attributes = context_.attributes->at(request.event.attributes);
  bool event_refused = false;
  request.refused_inside_in_log = std::any_of(handler_stages_.begin(), handler_stages_.end(),
                                              [&](const auto& stage) { return stage->refused_in_log(attributes); });
  for (const auto& stage : handler_stages_) {
    const HandlerStage::Verdict verdict = stage->ask(attributes, {now, request.in_report, number_of(request)});
    held = later(held, stage->held());
    const bool refused = verdict == HandlerStage::Verdict::refused;
    if (refused) {
      request.outcome = stage->outcome();
      request.refused_with = static_cast<std::uint16_t>(stage->code());
    }
    observers_.on_verdict(request, *stage, verdict, &attributes);
    event_refused = refused && stage->stage() == AdmissionStage::event_rate_limit;
    if (refused) break;
  }
  if (event_refused) clients_.on_event_refused(now, request);
  context_.drop_attributes(request.event);
  return held;
}

void Server::on_release(std::uint64_t tag, Nanos now) {
  last_end_ = now;
  observers_.on_release(now, request(tag));
  requests_.drop(static_cast<std::uint32_t>(tag));
}

void Server::on_refuse(std::uint64_t tag, Nanos now, Outcome outcome, int retry_after_seconds) {
  refused_on_arrival_ = refused_on_arrival_ || tag == arriving_;  // it may drive others out of its queue
  last_end_ = now;
  const LiveRequest& refused = request(tag);
  outcome = clients_.on_refuse(now, refused, outcome, retry_after_seconds);
  observers_.on_refuse(now, refused, outcome, retry_after_seconds);
  watches_.forget(refused.event);
  requests_.drop(static_cast<std::uint32_t>(tag));
}

void Server::on_round(const Round& round) {
  if (in_flight_) return;
  configurations_.on_round(round);
  observers_.on_round(round);
}

void Server::dump(DumpBook& dumps) {
  dumps.take([&](std::uint64_t tag) -> const LiveRequest& { return request(tag); },
             configurations_.config(configurations_.current()));
}

void Server::fill(ReplayReport& report) {
  const Nanos end = std::max(time_.now, last_end_);
  watches_.expire(time_.now);
  tell_ended_watches();
  observers_.fill(report, std::max(end, time_.first_arrival));
  for (const auto& stage : handler_stages_) stage->fill(report, end);
  if (in_flight_) in_flight_->fill(report.in_flight.emplace(), std::max(time_.now, time_.first_arrival));
  report.watches_peak = watches_.peak();
  report.undecided = cost_.undecided_report();
  if (context_.options.list_widths.any() && !in_flight_) report.list_widths = cost_.list_widths();
  if (!report.what_if) return;
  report.what_if->at_recorded_cap = cost_.at_recorded_cap();
  report.what_if->wider_than_level = cost_.wider_than_level();
}

ReplayFacts Server::facts(const EngineStart& start) const {
  const ReplayOptions& options = context_.options;
  ReplayFacts facts;
  if (options.recorded && options.recorded->version != options.version)
    facts.versions.push_back(options.recorded->version);
  if (!options.in_flight) facts.versions.push_back(options.version);
  facts.service = cost_.facts();
  facts.service.records_waits = has(options.version, Feature::audited_queue_wait);
  for (const auto& stage : handler_stages_) stage->add_facts(facts);
  if (facts.event_limits) facts.event_limits->dropped = options.event_sending.sender == EventSender::server;
  facts.standing_watches = watches_.standing();
  facts.timed_out_watches = watches_.timed_out();
  facts.min_request_timeout = options.min_request_timeout;
  facts.fixed_flows = fixed_flows_;
  facts.missing_schemas = missing_schemas_;
  if (options.in_flight) return facts;
  ClockFacts& clock = facts.clock.emplace();
  if (!has(options.version, Feature::demand_is_a_number)) clock.odd_deviations = controller_->odd_deviations();
  clock.start = start;
  clock.restarts = context_.clock.restarts();
  clock.logged_seats = context_.clock.server_concurrency_limit();
  clock.seats = context_.seats();
  const std::vector<Nanos>& unexplained = configurations_.unexplained();
  clock.unexplained_digests = unexplained.size();
  if (!unexplained.empty()) clock.first_unexplained_digest = unexplained.front();
  return facts;
}

}  // namespace apf
