#include "replay/books/metric_counters.h"

#include <span>

namespace apf {

namespace {

constexpr double kDurations[] = {0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30};
constexpr double kFormerDurations[] = {0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30};
constexpr double kQueueLengths[] = {0, 10, 25, 50, 100, 250, 500, 1000};
constexpr double kWatches[] = {0, 1, 10, 100, 1000, 10000};
constexpr double kSeats[] = {1, 2, 4, 8, 16, 32, 64, 100};
constexpr double kNarrowSeats[] = {1, 2, 4, 10};
constexpr double kLatencyBounds[] = {0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1,  1.25, 1.5, 2,
                                     3,     4,     5,    6,   8,   10,  15,  20,  30, 45,   60};
constexpr double kDemand[] = {0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6};
constexpr double kSeatUse[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1};
constexpr double kRequestUse[] = {0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1};
constexpr double kReadWrite[] = {0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1};

std::span<const double> durations(KubeVersion version) {
  if (has(version, Feature::fifteen_second_bucket)) return kDurations;
  return kFormerDurations;
}

std::span<const double> seat_bounds(KubeVersion version) {
  if (has(version, Feature::hundred_seat_bucket)) return kSeats;
  return kNarrowSeats;
}

}  // namespace

MetricCounters::Level::Level() : demand(kDemand), seats(kSeatUse), executing(kRequestUse), waiting(kRequestUse) {}

MetricCounters::ForEndpoint::ForEndpoint() : duration(kLatencyBounds) {}

MetricCounters::Pair::Pair(LevelId l, std::uint32_t s, KubeVersion version)
    : level(l),
      schema(s),
      queue_length(kQueueLengths),
      wait_executed(durations(version)),
      wait_refused(durations(version)),
      regular(durations(version)),
      watch(durations(version)),
      watches(kWatches),
      seats(seat_bounds(version)) {}

MetricCounters::Kind::Kind() : executing(kReadWrite), waiting(kReadWrite) {}

void MetricCounters::begin(KubeVersion of, Nanos at) {
  version = of;
  start = now = at;
  for (Kind& k : kinds) {
    for (TimingRatio* ratio : {&k.executing, &k.waiting}) {
      ratio->start(start);
      if (takes_samples()) ratio->take_samples();
    }
  }
}

void MetricCounters::turn(Nanos in_second) {
  for (Kind& k : kinds) {
    for (Kind::Number* number : {&k.in_flight, &k.in_queue}) {
      number->last_high = in_second == second + 1 ? number->high : number->now;
      number->high = number->now;
    }
  }
  second = in_second;
}

void MetricCounters::close() {
  for (const auto& l : levels) {
    for (TimingRatio* ratio : {&l->demand, &l->seats, &l->executing, &l->waiting}) ratio->advance(now);
  }
  for (Kind& k : kinds) {
    k.executing.advance(now);
    k.waiting.advance(now);
  }
}

MetricCounters::Level& MetricCounters::add_level(LevelId id) {
  while (levels.size() <= id) {
    Level& added = *levels.emplace_back(std::make_unique<Level>());
    for (TimingRatio* ratio : {&added.demand, &added.seats, &added.executing, &added.waiting}) ratio->start(now);
    for (TimingRatio* ratio : {&added.seats, &added.executing, &added.waiting})
      if (takes_samples()) ratio->take_samples();
  }
  return *levels[id];
}

MetricCounters::Pair& MetricCounters::add_pair(LevelId level, std::uint32_t schema) {
  if (pair_by_level_.size() <= level) pair_by_level_.resize(level + 1);
  auto& schemas = pair_by_level_[level];
  if (schemas.size() <= schema) schemas.resize(schema + 1);
  pairs.push_back(std::make_unique<Pair>(level, schema, version));
  schemas[schema] = static_cast<std::uint32_t>(pairs.size());
  return *pairs.back();
}

MetricCounters::ForEndpoint* MetricCounters::endpoint(std::uint32_t number) {
  if (number == 0) return nullptr;
  if (endpoints.size() < number) endpoints.resize(number);
  std::unique_ptr<ForEndpoint>& book = endpoints[number - 1];
  if (!book) book = std::make_unique<ForEndpoint>();
  return book.get();
}

}  // namespace apf
