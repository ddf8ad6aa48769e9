#include "test_file/limit_metrics.h"

#include <algorithm>
#include <iterator>

namespace apf {

namespace {

using Level = const LevelLimits&;

constexpr LimitMetric kMetrics[] = {
    {"shares", [](Level l) { return l.nominal_concurrency_shares; }},
    {"nominal", [](Level l) { return std::int64_t{l.nominal_cl}; }},
    {"lendable", [](Level l) { return std::int64_t{l.lendable_cl}; }},
    {"borrowing", [](Level l) { return std::int64_t{l.borrowing_cl}; }},
    {"min", [](Level l) { return std::int64_t{l.min_cl}; }},
    {"max", [](Level l) { return std::int64_t{l.max_cl}; }},
    {"initial", [](Level l) { return std::int64_t{l.initial_cl}; }},
    {"maxSeats", [](Level l) { return std::int64_t{l.max_seats}; }},
    {"queues", [](Level l) { return std::int64_t{l.queues}; }},
    {"handSize", [](Level l) { return std::int64_t{l.hand_size}; }},
    {"queueLengthLimit", [](Level l) { return std::int64_t{l.queue_length_limit}; }},
};

}  // namespace

std::span<const LimitMetric> limit_metrics() { return kMetrics; }

const LimitMetric* find_limit_metric(std::string_view name) {
  const auto at =
      std::find_if(std::begin(kMetrics), std::end(kMetrics), [&](const LimitMetric& m) { return m.name == name; });
  return at == std::end(kMetrics) ? nullptr : at;
}

}  // namespace apf
