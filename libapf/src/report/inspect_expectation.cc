// Expectations on an inspection. What the server's histograms leave open, an expectation must bear.
#include <algorithm>
#include <cmath>
#include <iterator>

#include <apf/error.h>
#include <apf/report.h>
#include <fmt/core.h>

#include "base/text.h"
#include "report/expectation_text.h"
#include "report/inspect_words.h"

namespace apf {

namespace {

using Bounds = InspectedHistogram::Bounds;
using Inspected = const InspectedLevel&;

// What a level has, and whether that of all levels is the sum.
struct InspectMetric {
  const char* name;
  ExpectedUnit unit;
  bool sums;
  std::optional<Bounds> (*read)(Inspected level, const Inspection& inspection);
};

std::optional<Bounds> exactly(const std::optional<double>& number) {
  if (!number) return std::nullopt;
  return Bounds{*number, *number};
}

std::optional<Bounds> nanos(std::optional<Bounds> bounds) {
  if (bounds) *bounds = {bounds->low * 1e9, bounds->high * 1e9};
  return bounds;
}

std::optional<Bounds> rate(const std::optional<double>& number, const Inspection& inspection) {
  if (!number || !inspection.seconds || !(*inspection.seconds > 0)) return std::nullopt;
  return exactly(*number / *inspection.seconds);
}

// Dumps count refusals, and of the reasons time-outs alone.
std::optional<Bounds> refused(Inspected level, const Inspection& inspection, std::string_view reason) {
  if (!level.rejected) return std::nullopt;
  if (!inspection.has_scrape && *level.rejected > 0 && reason != "time-out") return std::nullopt;
  const auto at = level.rejected_by.find(std::string(reason));
  return exactly(at == level.rejected_by.end() ? 0 : at->second);
}

using In = const Inspection&;
constexpr InspectMetric kInspectMetrics[] = {
    {"executing", ExpectedUnit::requests, true, [](Inspected l, In) { return exactly(l.executing); }},
    {"waiting", ExpectedUnit::requests, true, [](Inspected l, In) { return exactly(l.waiting); }},
    {"dispatched", ExpectedUnit::requests, true, [](Inspected l, In) { return exactly(l.dispatched); }},
    {"rejected", ExpectedUnit::requests, true, [](Inspected l, In) { return exactly(l.rejected); }},
    {"queue-full", ExpectedUnit::requests, true, [](Inspected l, In i) { return refused(l, i, "queue-full"); }},
    {"concurrency-limit", ExpectedUnit::requests, true,
     [](Inspected l, In i) { return refused(l, i, "concurrency-limit"); }},
    {"time-out", ExpectedUnit::requests, true, [](Inspected l, In i) { return refused(l, i, "time-out"); }},
    {"dispatch-rate", ExpectedUnit::number, true, [](Inspected l, In i) { return rate(l.dispatched, i); }},
    {"reject-rate", ExpectedUnit::number, true, [](Inspected l, In i) { return rate(l.rejected, i); }},
    {"seats", ExpectedUnit::seats, true, [](Inspected l, In) { return exactly(l.executing_seats); }},
    {"waiting-seats", ExpectedUnit::seats, true, [](Inspected l, In) { return exactly(l.waiting_seats); }},
    {"limit", ExpectedUnit::seats, false, [](Inspected l, In) { return exactly(l.current); }},
    {"nominal", ExpectedUnit::seats, false, [](Inspected l, In) { return exactly(l.nominal); }},
    {"borrowed", ExpectedUnit::seats, false, [](Inspected l, In) { return exactly(l.borrowed()); }},
    {"utilization", ExpectedUnit::share, false, [](Inspected l, In) { return exactly(l.utilization()); }},
    {"p50wait", ExpectedUnit::duration, false, [](Inspected l, In) { return nanos(l.wait.quantile(0.5)); }},
    {"p90wait", ExpectedUnit::duration, false, [](Inspected l, In) { return nanos(l.wait.quantile(0.9)); }},
    {"p95wait", ExpectedUnit::duration, false, [](Inspected l, In) { return nanos(l.wait.quantile(0.95)); }},
    {"p99wait", ExpectedUnit::duration, false, [](Inspected l, In) { return nanos(l.wait.quantile(0.99)); }},
    {"meanwait", ExpectedUnit::duration, false,
     [](Inspected l, In) -> std::optional<Bounds> {
       if (l.wait.count <= 0) return std::nullopt;
       return exactly(l.wait.mean() * 1e9);
     }},
    {"drain", ExpectedUnit::duration, false,
     [](Inspected l, In) -> std::optional<Bounds> {
       if (l.waiting && *l.waiting <= 0) return exactly(0.0);
       if (!l.drain) return std::nullopt;
       return exactly(*l.drain * 1e9);
     }},
};

const InspectMetric* find_inspect_metric(std::string_view name) {
  const auto* at = std::find_if(std::begin(kInspectMetrics), std::end(kInspectMetrics),
                                [&](const InspectMetric& m) { return m.name == name; });
  return at == std::end(kInspectMetrics) ? nullptr : at;
}

[[noreturn]] void fail_unsaid(const Expectation& e, const InspectMetric& metric) {
  throw Error(fmt::format("expectation '{}': the input says nothing of {} there{}", e.text, metric.name,
                          metric.unit == ExpectedUnit::number ? "; rates need two scrapes (--metrics twice)"
                                                              : "; give a scrape with --metrics that has it"));
}

// What percentages are of.
double decided_requests(const Expectation& e, Inspected level) {
  if (!e.percent) return 0;
  if (!level.dispatched || !level.rejected)
    throw Error(
        fmt::format("expectation '{}': the input says nothing of the requests that {} {}; give a scrape with "
                    "--metrics that has them",
                    e.text, printable(level.name), level.rejected ? "dispatched" : "refused"));
  return *level.dispatched + *level.rejected;
}

Bounds read_total(const Expectation& e, const InspectMetric& metric, const Inspection& inspection) {
  Bounds sum;
  bool said = false;
  double all = 0;
  for (const InspectedLevel& level : inspection.levels) {
    const std::optional<Bounds> one = metric.read(level, inspection);
    // Dumps say less of exempt levels.
    if (!one && level.exempt) continue;
    if (!one) fail_unsaid(e, metric);
    all += decided_requests(e, level);
    said = true;
    sum = {sum.low + one->low, sum.high + one->high};
  }
  if (!said) fail_unsaid(e, metric);
  if (e.percent) sum = all > 0 ? Bounds{sum.low / all, sum.high / all} : Bounds{};
  return sum;
}

Bounds read_level(const Expectation& e, const InspectMetric& metric, const Inspection& inspection) {
  const auto& levels = inspection.levels;
  const auto level = std::find_if(levels.begin(), levels.end(), [&](Inspected l) { return l.name == e.subject; });
  if (level == levels.end()) {
    std::vector<std::string_view> names;
    for (const InspectedLevel& other : levels) names.push_back(other.name);
    throw Error(unknown_subject(e.text, "priority level", e.subject, names));
  }
  std::optional<Bounds> out = metric.read(*level, inspection);
  if (!out) fail_unsaid(e, metric);
  const double all = decided_requests(e, *level);
  if (e.percent) *out = all > 0 ? Bounds{out->low / all, out->high / all} : Bounds{};
  return *out;
}

std::string show(const InspectMetric& metric, const Expectation& e, double value) {
  if (metric.unit == ExpectedUnit::duration) return format_go_duration(rounded_nanos(value / 1e9));
  if (metric.unit == ExpectedUnit::requests && !e.percent) return grouped(whole(value));
  return expected_value_text(metric.unit, e.percent, value);
}

}  // namespace

std::vector<std::string> inspect_expectation_metrics() {
  std::vector<std::string> out;
  for (const InspectMetric& metric : kInspectMetrics) out.emplace_back(metric.name);
  return out;
}

Expectation parse_inspect_expectation(std::string_view text) {
  const ExpectationParts parts = split_expectation(text, "LEVEL.METRIC or total.METRIC");
  const InspectMetric* metric = find_inspect_metric(parts.metric == "refused" ? "rejected" : parts.metric);
  if (!metric) fail_unknown_metric(text, parts.metric, inspect_expectation_metrics());
  if (!metric->sums && parts.subject == "total")
    fail_expectation(text, fmt::format("{} exists for priority levels only", metric->name));
  const ExpectedValue value = parse_expected_value(text, metric->name, metric->unit, parts.value);
  return {std::string(trimmed(text)),
          parts.subject,
          metric->name,
          parts.op,
          value.number,
          value.percent && metric->unit == ExpectedUnit::requests};
}

ExpectationResult check_expectation(const Expectation& e, const Inspection& inspection) {
  const InspectMetric& metric = *find_inspect_metric(e.metric);
  const Bounds actual = e.subject == "total" ? read_total(e, metric, inspection) : read_level(e, metric, inspection);
  // A quantile lies above the low bound, if it is not 0, and may be the high one.
  const bool range = actual.low < actual.high;
  const bool low_met = e.op == ">" && range ? actual.low >= e.value : expectation_holds(actual.low, e.op, e.value);
  const bool met = low_met && expectation_holds(actual.high, e.op, e.value) &&
                   !(range && e.op == "!=" && actual.low < e.value && e.value <= actual.high);
  std::string is = show(metric, e, actual.high);
  if (range)
    is = std::isfinite(actual.high) ? fmt::format("{} to {}", show(metric, e, actual.low), is)
                                    : "more than " + show(metric, e, actual.low);
  return {met, fmt::format("{}: it is {}", e.text, is)};
}

}  // namespace apf
