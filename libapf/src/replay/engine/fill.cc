#include "replay/engine/fill.h"

#include <algorithm>
#include <numeric>

#include <fmt/core.h>

#include "base/scatter.h"
#include "replay/prepare/recorded_schema.h"
#include "replay/prepare/request_shape.h"
#include "replay/stages/stage_book.h"

namespace apf {

namespace {

// A quarter of the deadline, a minute at most.
Nanos wait_limit(Nanos request_timeout) { return std::min(request_timeout / 4, 60 * kSecond); }

// Shares of a whole number that add up to it: what rounding leaves goes on to the next.
std::vector<std::uint64_t> shares(std::uint64_t whole, const std::vector<double>& weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<std::uint64_t> out;
  double upto = 0;
  std::uint64_t given = 0;
  for (const double weight : weights) {
    upto += weight;
    const auto target = static_cast<std::uint64_t>(static_cast<double>(whole) * (upto / sum) + 0.5);
    out.push_back(target - given);
    given = target;
  }
  return out;
}

}  // namespace

Fill::Fill(const ReplayOptions& options, const std::vector<std::shared_ptr<const Classifier>>& classifiers,
           Flows& flows, bool keeps_shapes)
    : plan_(*options.fill), wait_limit_(wait_limit(options.request_timeout)), deadline_(options.request_timeout) {
  for (const FillPlan::Schema& schema : plan_.schemas) add_source(schema, classifiers, flows, keeps_shapes);
  event_.kind = JoinedEvent::Kind::request;
}

void Fill::add_source(const FillPlan::Schema& schema, const std::vector<std::shared_ptr<const Classifier>>& classifiers,
                      Flows& flows, bool keeps_shapes) {
  Source source;
  source.schema = &schema;
  source.seed = hash_bytes(schema.name);
  for (std::size_t i = 0; i < std::max<std::size_t>(schema.flows, 1); ++i) {
    FlowDefinition definition;
    definition.filled = true;
    for (const auto& classifier : classifiers) {
      const RecordedSchema of = find_recorded_schema(*classifier, schema.name);
      const auto& found = classifier->schemas()[of.schema];
      const bool parts = found.effective != Classifier::Schema::Distinguisher::none;
      definition.choices.push_back({of.schema, of.missing, parts ? fmt::format("(filled {})", i + 1) : ""});
    }
    if (keeps_shapes) definition.shape = shape_of_fill(schema.name, i + 1);
    source.flows.push_back(flows.add(definition));
  }
  const Nanos span = plan_.end - plan_.begin;
  const auto bins = static_cast<std::size_t>(std::max<Nanos>(1, (span + plan_.width - 1) / plan_.width));
  std::vector<double> weights = schema.over_time;
  weights.resize(bins);
  if (std::accumulate(weights.begin(), weights.end(), 0.0) <= 0) {
    weights.assign(bins, 1);
    weights.back() =
        static_cast<double>(span - static_cast<Nanos>(bins - 1) * plan_.width) / static_cast<double>(plan_.width);
  }
  source.counts = shares(schema.requests, weights);
  if (refill(source)) sources_.push_back(std::move(source));
}

// The arrivals of the next bin that has any, independent of each other as those of many clients are.
bool Fill::refill(Source& source) const {
  source.arrivals.clear();
  source.at = 0;
  for (; source.arrivals.empty() && source.bin < source.counts.size(); ++source.bin) {
    const Nanos begin = plan_.begin + static_cast<Nanos>(source.bin) * plan_.width;
    const double width = static_cast<double>(std::min(plan_.width, plan_.end - begin));
    for (std::uint64_t i = 0; i < source.counts[source.bin]; ++i)
      source.arrivals.push_back(begin + static_cast<Nanos>(width * unit(scattered(source.seed, source.bin), i)));
    std::sort(source.arrivals.begin(), source.arrivals.end());
  }
  return !source.arrivals.empty();
}

Fill::Source* Fill::next() {
  Source* first = nullptr;
  for (Source& source : sources_) {
    if (source.at == source.arrivals.size() && !refill(source)) continue;
    if (!first || source.arrivals[source.at] < first->arrivals[first->at]) first = &source;
  }
  return first;
}

// Execution times and widths are taken in an order in which neighbours are not alike.
void Fill::make(Source& source) {
  const auto turn = [&](const auto& values, std::uint64_t salt) {
    const std::uint64_t round = source.made / values.size(), step = source.made % values.size();
    std::uint64_t stride = static_cast<std::uint64_t>(static_cast<double>(values.size()) * 0.618) | 1;
    while (std::gcd(stride, values.size()) != 1) stride += 2;
    return values[(step * stride + scattered(source.seed + salt, round)) % values.size()];
  };
  PreparedEvent& event = event_.event = {};
  event.received = source.arrivals[source.at++];
  event.trace = true;  // it records nothing that a replay could be compared with
  event.filled = true;
  event.requester = kNobody;
  event.execution = turn(source.schema->executions, 1);
  event.has_fixed_seats = true;
  event.fixed.initial_seats = turn(source.schema->widths, 2);
  event.wait_limit = wait_limit_;
  event.deadline = deadline_;
  event.flow = source.flows[scattered(source.seed + 3, source.made) % source.flows.size()];
  ++source.made;
}

}  // namespace apf
