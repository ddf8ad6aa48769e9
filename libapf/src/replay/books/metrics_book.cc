#include "replay/books/metrics_book.h"

#include <algorithm>

#include "base/releases.h"

namespace apf {

namespace {

// The log's, where it is an answer to a request that was let in.
int code_of(const LiveRequest& request) {
  if (request.refused_with != 0) return request.refused_with;
  if (request.event.code != 0 && !request.event.recorded_refusal && !request.refused_inside_in_log)
    return request.event.code;
  return 200;
}

}  // namespace

void MetricsBook::on_begin(Controller& controller, Nanos) {
  controller_ = &controller;
  counters_.begin(controller.options().version, controller.options().start);
}

void MetricsBook::on_arrive(Nanos now, const LiveRequest& request, std::int64_t watches) {
  counters_.advance(now);
  MetricCounters::Pair& p = pair(request);
  p.seats.add(request.estimated_seats());
  if (watches >= 0) p.watches.add(static_cast<double>(watches));
  MetricCounters::Level& l = counters_.level(request.level);
  l.demand.add(now, request.estimated_seats());
  if (!request.queues) return;
  ++p.waiting;
  p.waiting_seats += request.estimated_seats();
  l.waiting.add(now, 1);
  counters_.kind(request.event.mutating).waiting.add(now, 1);
  counters_.kind(request.event.mutating).in_queue.add(1);
}

void MetricsBook::on_enqueue(Nanos, const LiveRequest& request, int length) {
  MetricCounters::Pair& p = pair(request);
  p.queued = true;
  p.queue_length.add(length);
}

void MetricsBook::leave_queue(Nanos now, const LiveRequest& request) {
  if (!request.queues) return;
  MetricCounters::Pair& p = pair(request);
  --p.waiting;
  p.waiting_seats -= request.estimated_seats();
  counters_.level(request.level).waiting.add(now, -1);
  counters_.kind(request.event.mutating).waiting.add(now, -1);
  counters_.kind(request.event.mutating).in_queue.add(-1);
}

void MetricsBook::execute(Nanos now, const LiveRequest& request, int change) {
  MetricCounters::Kind& k = counters_.kind(request.event.mutating);
  k.executing.add(now, change);
  k.in_flight.add(change);
  counters_.level(request.level).executing.add(now, change);
  pair(request).executing += change;
}

void MetricsBook::on_dispatch(Nanos now, const LiveRequest& request) {
  counters_.advance(now);
  leave_queue(now, request);
  execute(now, request, 1);
  MetricCounters::Pair& p = pair(request);
  p.ran = true;
  ++p.dispatched;
  p.executing_seats += request.seats;
  MetricCounters::Level& l = counters_.level(request.level);
  if (!l.exempt) p.wait_executed.add(seconds_of(now - request.arrival));
  l.seats.add(now, request.seats);
  l.demand.add(now, request.seats - request.estimated_seats());
  if (MetricCounters::ForEndpoint* e = request.event.watch ? counters_.endpoint(request.event.endpoint) : nullptr)
    ++e->open;
}

void MetricsBook::answer(std::uint32_t number, int code, Nanos duration) {
  MetricCounters::ForEndpoint* const e = counters_.endpoint(number);
  if (!e) return;
  ++e->codes[code];
  e->duration.add(seconds_of(duration));
}

// Of a watch, the server counts the whole of it when it is over.
void MetricsBook::on_watch_end(Nanos now, std::uint32_t number, Nanos since) {
  answer(number, 200, now - since);
  --counters_.endpoint(number)->open;
}

void MetricsBook::on_finish(Nanos now, const LiveRequest& request) {
  counters_.advance(now);
  execute(now, request, -1);
  MetricCounters::Pair& p = pair(request);
  const bool by_type = has(counters_.version, Feature::estimate_metrics);
  (request.event.watch && by_type ? p.watch : p.regular).add(seconds_of(now - request.dispatch));
  if (!request.event.watch) answer(request.event.endpoint, code_of(request), now - request.arrival);
}

void MetricsBook::on_release(Nanos now, const LiveRequest& request) {
  counters_.advance(now);
  pair(request).executing_seats -= request.seats;
  MetricCounters::Level& l = counters_.level(request.level);
  l.seats.add(now, -request.seats);
  l.demand.add(now, -request.seats);
}

void MetricsBook::on_refuse(Nanos now, const LiveRequest& request, Outcome outcome) {
  counters_.advance(now);
  leave_queue(now, request);
  counters_.level(request.level).demand.add(now, -request.estimated_seats());
  MetricCounters::Pair& p = pair(request);
  ++p.refused[outcome];
  ++counters_.kind(request.event.mutating).dropped;
  if (MetricCounters::ForEndpoint* e = counters_.endpoint(request.event.endpoint)) ++e->terminated;
  // Who waited had a place in a queue, which is what the server's label says.
  (is_refused_after_wait(outcome) ? p.wait_executed : p.wait_refused).add(seconds_of(now - request.arrival));
}

void MetricsBook::on_no_accommodation(Nanos now, const LiveRequest& request, std::uint64_t times) {
  counters_.advance(now);
  pair(request).not_accommodated += times;
}

void MetricsBook::on_round(const Round& round) {
  counters_.advance(round.time);
  double executing = 0, waiting = 0;
  for (const LevelRound& r : round.levels) {
    MetricCounters::Level& l = counters_.level(r.level);
    const LevelLimits& limits = controller_->limits(r.level);
    l.last = r;
    l.exempt = limits.exempt;
    const bool queues = !limits.exempt && limits.queues > 0;
    const double in_queues = std::max(1, limits.queue_length_limit) * static_cast<double>(queues ? limits.queues : 1);
    // Where there are no seats: of a tenth of the server's, in releases that care.
    const bool current = has(counters_.version, Feature::demand_of_current_limit);
    const int least = current ? std::max(1, (controller_->options().server_concurrency_limit + 5) / 10) : 1;
    const double seats = r.current_cl > 0 ? r.current_cl : least;
    for (TimingRatio* ratio : {&l.seats, &l.executing}) ratio->set_denominator(round.time, seats);
    l.demand.set_denominator(round.time, current ? seats : std::max(1, r.nominal_cl));
    l.waiting.set_denominator(round.time,
                              counters_.takes_samples() ? std::max(1, limits.queue_length_limit) : in_queues);
    executing += r.nominal_cl;
    if (queues) waiting += in_queues;
  }
  if (round.fair_frac >= 0) counters_.fair_frac = round.fair_frac;
  if (!round.config || counters_.takes_samples()) return;  // those are of numbers of requests
  for (MetricCounters::Kind& k : counters_.kinds) {
    k.executing.set_denominator(round.time, std::max(1.0, executing));
    k.waiting.set_denominator(round.time, std::max(1.0, waiting));
  }
}

void MaxInFlightBook::on_begin(Controller& controller, Nanos) {
  counters_.begin(controller.options().version, controller.options().start);
}

void MaxInFlightBook::on_refuse(Nanos, const LiveRequest& request, Outcome outcome) {
  if (outcome != Outcome::max_in_flight) return;
  ++counters_.kind(request.event.mutating).dropped;
  if (MetricCounters::ForEndpoint* e = counters_.endpoint(request.event.endpoint)) ++e->terminated;
}

std::vector<MetricFamily> MaxInFlightBook::families(Controller& controller,
                                                    const std::vector<Endpoint>& endpoints) const {
  std::vector<MetricFamily> out = families_of(counters_, controller, {}, endpoints);
  // How many requests were served is not counted.
  std::erase_if(out, [](const MetricFamily& family) {
    return family.name != "apiserver_dropped_requests_total" && family.name != "apiserver_request_terminations_total";
  });
  return out;
}

std::vector<MetricFamily> MetricsBook::families(const std::vector<std::string>& schema_names,
                                                const std::vector<Endpoint>& endpoints) {
  if (!controller_) return {};
  counters_.close();
  return families_of(counters_, *controller_, schema_names, endpoints);
}

}  // namespace apf
