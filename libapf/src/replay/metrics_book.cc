#include "replay/metrics_book.h"

#include <algorithm>

namespace apf {

namespace {

constexpr double kDurations[] = {0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30};
constexpr double kFormerDurations[] = {0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30};
constexpr double kQueueLengths[] = {0, 10, 25, 50, 100, 250, 500, 1000};
constexpr double kWatches[] = {0, 1, 10, 100, 1000, 10000};
constexpr double kSeats[] = {1, 2, 4, 8, 16, 32, 64, 100};
constexpr double kNarrowSeats[] = {1, 2, 4, 10};
constexpr double kLatencies[] = {0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1,  1.25, 1.5, 2,
                                 3,     4,     5,    6,   8,   10,  15,  20,  30, 45,   60};
constexpr double kQueueParts[] = {0, 0.25, 0.5, 0.75, 0.9, 1};  // of the limit, as KEP-1040 has it
constexpr double kDemand[] = {0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6};
constexpr double kSeatUse[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1};
constexpr double kRequestUse[] = {0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1};
constexpr double kReadWrite[] = {0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1};

double seconds(Nanos duration) { return static_cast<double>(duration) / 1e9; }

std::span<const double> durations(KubeVersion version) {
  if (has(version, Feature::fifteen_second_bucket)) return kDurations;
  return kFormerDurations;
}

std::span<const double> seat_bounds(KubeVersion version) {
  if (has(version, Feature::hundred_seat_bucket)) return kSeats;
  return kNarrowSeats;
}

// The log's, where it is an answer to a request that was let in.
int code_of(const LiveRequest& request) {
  if (request.refused_with != 0) return request.refused_with;
  if (request.event.code != 0 && !request.event.recorded_refusal && !request.refused_inside_in_log)
    return request.event.code;
  return 200;
}

}  // namespace

MetricsBook::Level::Level(std::span<const double> queue_parts)
    : demand(kDemand), seats(kSeatUse), executing(kRequestUse), waiting(kRequestUse), queue_length(queue_parts) {}

MetricsBook::EndpointBook::EndpointBook() : duration(kLatencies) {}

MetricsBook::Pair::Pair(LevelId l, std::uint32_t s, KubeVersion version)
    : level(l),
      schema(s),
      queue_length(kQueueLengths),
      wait_executed(durations(version)),
      wait_refused(durations(version)),
      regular(durations(version)),
      watch(durations(version)),
      watches(kWatches),
      seats(seat_bounds(version)) {}

MetricsBook::Kind::Kind() : executing(kReadWrite), waiting(kReadWrite) {}

MetricsBook::MetricsBook() = default;

void MetricsBook::on_begin(Controller& controller, Nanos) {
  controller_ = &controller;
  version_ = controller.options().version;
  begin_ = now_ = controller.options().start;
  for (Kind& k : kinds_) {
    for (TimingRatio* ratio : {&k.executing, &k.waiting}) {
      ratio->start(begin_);
      if (takes_samples()) ratio->take_samples();
    }
  }
}

MetricsBook::Level& MetricsBook::level(LevelId id) {
  while (levels_.size() <= id) {
    Level& added = *levels_.emplace_back(std::make_unique<Level>(kQueueParts));
    for (TimingRatio* ratio : {&added.demand, &added.seats, &added.executing, &added.waiting}) ratio->start(now_);
    for (TimingRatio* ratio : {&added.seats, &added.executing, &added.waiting})
      if (takes_samples()) ratio->take_samples();
  }
  return *levels_[id];
}

MetricsBook::Pair& MetricsBook::pair(const LiveRequest& request) {
  if (pair_by_level_.size() <= request.level) pair_by_level_.resize(request.level + 1);
  auto& schemas = pair_by_level_[request.level];
  if (schemas.size() <= request.schema) schemas.resize(request.schema + 1);
  std::uint32_t& number = schemas[request.schema];
  if (number == 0) {
    pairs_.push_back(std::make_unique<Pair>(request.level, request.schema, version_));
    number = static_cast<std::uint32_t>(pairs_.size());
  }
  return *pairs_[number - 1];
}

// The server looks once a second how many were in flight at most.
void MetricsBook::tick(Nanos now) {
  now_ = std::max(now_, now);
  const Nanos second = (now_ - begin_) / kSecond;
  if (second == second_) return;
  for (Kind& k : kinds_) {
    for (Kind::Number* number : {&k.in_flight, &k.in_queue}) {
      number->last_high = second == second_ + 1 ? number->high : number->now;
      number->high = number->now;
    }
  }
  second_ = second;
}

void MetricsBook::on_arrive(Nanos now, const LiveRequest& request, std::int64_t watches) {
  tick(now);
  Pair& p = pair(request);
  p.seats.add(request.estimated_seats());
  if (watches >= 0) p.watches.add(static_cast<double>(watches));
  Level& l = level(request.level);
  l.demand.add(now, request.estimated_seats());
  if (!request.queues) return;
  ++p.waiting;
  p.waiting_seats += request.estimated_seats();
  l.waiting.add(now, 1);
  kind(request).waiting.add(now, 1);
  kind(request).in_queue.add(1);
}

void MetricsBook::on_enqueue(Nanos, const LiveRequest& request, int length) {
  Pair& p = pair(request);
  p.queued = true;
  p.queue_length.add(length);
  Level& l = level(request.level);
  l.queue_length.add(static_cast<double>(length) / std::max(1, l.queue_length_limit));
  l.queue_length_sum += length;
}

void MetricsBook::leave_queue(Nanos now, const LiveRequest& request) {
  if (!request.queues) return;
  Pair& p = pair(request);
  --p.waiting;
  p.waiting_seats -= request.estimated_seats();
  level(request.level).waiting.add(now, -1);
  kind(request).waiting.add(now, -1);
  kind(request).in_queue.add(-1);
}

void MetricsBook::execute(Nanos now, const LiveRequest& request, int change) {
  Kind& k = kind(request);
  k.executing.add(now, change);
  k.in_flight.add(change);
  level(request.level).executing.add(now, change);
  pair(request).executing += change;
}

void MetricsBook::on_dispatch(Nanos now, const LiveRequest& request) {
  tick(now);
  leave_queue(now, request);
  execute(now, request, 1);
  Pair& p = pair(request);
  p.ran = true;
  ++p.dispatched;
  p.executing_seats += request.seats;
  Level& l = level(request.level);
  if (!l.exempt) p.wait_executed.add(seconds(now - request.arrival));
  l.seats.add(now, request.seats);
  l.demand.add(now, request.seats - request.estimated_seats());
  if (EndpointBook* e = request.event.watch ? endpoint(request.event.endpoint) : nullptr) ++e->open;
}

MetricsBook::EndpointBook* MetricsBook::endpoint(std::uint32_t number) {
  if (number == 0) return nullptr;
  if (endpoints_.size() < number) endpoints_.resize(number);
  std::unique_ptr<EndpointBook>& book = endpoints_[number - 1];
  if (!book) book = std::make_unique<EndpointBook>();
  return book.get();
}

void MetricsBook::answer(std::uint32_t number, int code, Nanos duration) {
  EndpointBook* const e = endpoint(number);
  if (!e) return;
  ++e->codes[code];
  e->duration.add(seconds(duration));
}

// Of a watch, the server counts the whole of it when it is over.
void MetricsBook::on_watch_end(Nanos now, std::uint32_t number, Nanos since) {
  answer(number, 200, now - since);
  --endpoint(number)->open;
}

void MetricsBook::on_finish(Nanos now, const LiveRequest& request) {
  tick(now);
  execute(now, request, -1);
  Pair& p = pair(request);
  const bool by_type = has(Feature::estimate_metrics);
  (request.event.watch && by_type ? p.watch : p.regular).add(seconds(now - request.dispatch));
  if (!request.event.watch) answer(request.event.endpoint, code_of(request), now - request.arrival);
}

void MetricsBook::on_release(Nanos now, const LiveRequest& request) {
  tick(now);
  pair(request).executing_seats -= request.seats;
  Level& l = level(request.level);
  l.seats.add(now, -request.seats);
  l.demand.add(now, -request.seats);
}

void MetricsBook::on_refuse(Nanos now, const LiveRequest& request, Outcome outcome) {
  tick(now);
  leave_queue(now, request);
  level(request.level).demand.add(now, -request.estimated_seats());
  Pair& p = pair(request);
  ++p.refused[outcome];
  ++kind(request).dropped;
  if (EndpointBook* e = endpoint(request.event.endpoint)) ++e->terminated;
  // Who waited had a place in a queue, which is what the server's label says.
  (is_refused_after_wait(outcome) ? p.wait_executed : p.wait_refused).add(seconds(now - request.arrival));
}

void MetricsBook::on_no_accommodation(Nanos now, const LiveRequest& request, std::uint64_t times) {
  tick(now);
  pair(request).not_accommodated += times;
}

void MetricsBook::on_round(const Round& round) {
  tick(round.time);
  double executing = 0, waiting = 0;
  for (const LevelRound& r : round.levels) {
    Level& l = level(r.level);
    const LevelLimits& limits = controller_->limits(r.level);
    l.last = r;
    l.exempt = limits.exempt;
    l.queue_length_limit = limits.queue_length_limit;
    const bool queues = !limits.exempt && limits.queues > 0;
    const double in_queues = std::max(1, limits.queue_length_limit) * static_cast<double>(queues ? limits.queues : 1);
    // Where there are no seats: of a tenth of the server's, in releases that care.
    const bool current = has(Feature::demand_of_current_limit);
    const int least = current ? std::max(1, (controller_->options().server_concurrency_limit + 5) / 10) : 1;
    const double seats = r.current_cl > 0 ? r.current_cl : least;
    for (TimingRatio* ratio : {&l.seats, &l.executing}) ratio->set_denominator(round.time, seats);
    l.demand.set_denominator(round.time, current ? seats : std::max(1, r.nominal_cl));
    l.waiting.set_denominator(round.time, takes_samples() ? std::max(1, limits.queue_length_limit) : in_queues);
    executing += r.nominal_cl;
    if (queues) waiting += in_queues;
  }
  if (round.fair_frac >= 0) fair_frac_ = round.fair_frac;
  if (!round.config || takes_samples()) return;  // those are of numbers of requests
  for (Kind& k : kinds_) {
    k.executing.set_denominator(round.time, std::max(1.0, executing));
    k.waiting.set_denominator(round.time, std::max(1.0, waiting));
  }
}

void MetricsBook::close() {
  tick(now_);
  for (const auto& l : levels_) {
    for (TimingRatio* ratio : {&l->demand, &l->seats, &l->executing, &l->waiting}) ratio->advance(now_);
  }
  for (Kind& k : kinds_) {
    k.executing.advance(now_);
    k.waiting.advance(now_);
  }
}

}  // namespace apf
