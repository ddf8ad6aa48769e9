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

using Unit = ExpectedUnit;
using Bounds = InspectedHistogram::Bounds;
using Level = const InspectedLevel&;

// What a level has, and whether that of all levels is the sum.
struct Metric {
  const char* name;
  Unit unit;
  bool sums;
  std::optional<Bounds> (*read)(Level level, const Inspection& inspection);
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
std::optional<Bounds> refused(Level level, const Inspection& inspection, std::string_view reason) {
  if (!level.rejected) return std::nullopt;
  if (!inspection.has_scrape && *level.rejected > 0 && reason != "time-out") return std::nullopt;
  const auto at = level.rejected_by.find(std::string(reason));
  return exactly(at == level.rejected_by.end() ? 0 : at->second);
}

using In = const Inspection&;
constexpr Metric kMetrics[] = {
    {"executing", Unit::requests, true, [](Level l, In) { return exactly(l.executing); }},
    {"waiting", Unit::requests, true, [](Level l, In) { return exactly(l.waiting); }},
    {"dispatched", Unit::requests, true, [](Level l, In) { return exactly(l.dispatched); }},
    {"rejected", Unit::requests, true, [](Level l, In) { return exactly(l.rejected); }},
    {"queue-full", Unit::requests, true, [](Level l, In i) { return refused(l, i, "queue-full"); }},
    {"concurrency-limit", Unit::requests, true, [](Level l, In i) { return refused(l, i, "concurrency-limit"); }},
    {"time-out", Unit::requests, true, [](Level l, In i) { return refused(l, i, "time-out"); }},
    {"dispatch-rate", Unit::number, true, [](Level l, In i) { return rate(l.dispatched, i); }},
    {"reject-rate", Unit::number, true, [](Level l, In i) { return rate(l.rejected, i); }},
    {"seats", Unit::seats, true, [](Level l, In) { return exactly(l.executing_seats); }},
    {"waiting-seats", Unit::seats, true, [](Level l, In) { return exactly(l.waiting_seats); }},
    {"limit", Unit::seats, false, [](Level l, In) { return exactly(l.current); }},
    {"nominal", Unit::seats, false, [](Level l, In) { return exactly(l.nominal); }},
    {"borrowed", Unit::seats, false, [](Level l, In) { return exactly(l.borrowed()); }},
    {"utilization", Unit::share, false, [](Level l, In) { return exactly(l.utilization()); }},
    {"p50wait", Unit::duration, false, [](Level l, In) { return nanos(l.wait.quantile(0.5)); }},
    {"p90wait", Unit::duration, false, [](Level l, In) { return nanos(l.wait.quantile(0.9)); }},
    {"p95wait", Unit::duration, false, [](Level l, In) { return nanos(l.wait.quantile(0.95)); }},
    {"p99wait", Unit::duration, false, [](Level l, In) { return nanos(l.wait.quantile(0.99)); }},
    {"meanwait", Unit::duration, false,
     [](Level l, In) -> std::optional<Bounds> {
       if (l.wait.count <= 0) return std::nullopt;
       return exactly(l.wait.mean() * 1e9);
     }},
    {"drain", Unit::duration, false,
     [](Level l, In) -> std::optional<Bounds> {
       if (l.waiting && *l.waiting <= 0) return exactly(0.0);
       if (!l.drain) return std::nullopt;
       return exactly(*l.drain * 1e9);
     }},
};

const Metric* find_metric(std::string_view name) {
  const auto* at =
      std::find_if(std::begin(kMetrics), std::end(kMetrics), [&](const Metric& m) { return m.name == name; });
  return at == std::end(kMetrics) ? nullptr : at;
}

[[noreturn]] void fail_unsaid(const Expectation& e, const Metric& metric) {
  throw Error(fmt::format("expectation '{}': the input says nothing of {} there{}", e.text, metric.name,
                          metric.unit == Unit::number ? "; rates need two scrapes (--metrics twice)"
                                                      : "; give a scrape with --metrics that has it"));
}

double requests_of(Level level) { return level.dispatched.value_or(0) + level.rejected.value_or(0); }

Bounds read_total(const Expectation& e, const Metric& metric, const Inspection& inspection) {
  Bounds sum;
  bool said = false;
  double all = 0;
  for (const InspectedLevel& level : inspection.levels) {
    all += requests_of(level);
    const std::optional<Bounds> one = metric.read(level, inspection);
    if (!one) continue;
    said = true;
    sum = {sum.low + one->low, sum.high + one->high};
  }
  if (!said) fail_unsaid(e, metric);
  if (e.percent) sum = all > 0 ? Bounds{sum.low / all, sum.high / all} : Bounds{};
  return sum;
}

Bounds read_level(const Expectation& e, const Metric& metric, const Inspection& inspection) {
  const auto& levels = inspection.levels;
  const auto level = std::find_if(levels.begin(), levels.end(), [&](Level l) { return l.name == e.subject; });
  if (level == levels.end()) {
    std::vector<std::string_view> names;
    for (const InspectedLevel& other : levels) names.push_back(other.name);
    throw Error(unknown_subject(e.text, "priority level", e.subject, names));
  }
  std::optional<Bounds> out = metric.read(*level, inspection);
  if (!out) fail_unsaid(e, metric);
  const double all = requests_of(*level);
  if (e.percent) *out = all > 0 ? Bounds{out->low / all, out->high / all} : Bounds{};
  return *out;
}

std::string show(const Metric& metric, const Expectation& e, double value) {
  if (metric.unit == Unit::duration) return format_go_duration(nanos_of(value / 1e9));
  if (metric.unit == Unit::requests && !e.percent) return grouped(whole(value));
  return expected_value_text(metric.unit, e.percent, value);
}

}  // namespace

std::vector<std::string> inspect_expectation_metrics() {
  std::vector<std::string> out;
  for (const Metric& metric : kMetrics) out.emplace_back(metric.name);
  return out;
}

Expectation parse_inspect_expectation(std::string_view text) {
  const ExpectationParts parts = split_expectation(text, "LEVEL.METRIC or total.METRIC");
  const Metric* metric = find_metric(parts.metric == "refused" ? "rejected" : parts.metric);
  if (!metric) fail_unknown_metric(text, parts.metric, inspect_expectation_metrics());
  if (!metric->sums && parts.subject == "total")
    fail_expectation(text, fmt::format("{} exists for priority levels only", metric->name));
  const ExpectedValue value = parse_expected_value(text, metric->name, metric->unit, parts.value);
  return {std::string(trimmed(text)),
          parts.subject,
          metric->name,
          parts.op,
          value.number,
          value.percent && metric->unit == Unit::requests};
}

ExpectationResult check_expectation(const Expectation& e, const Inspection& inspection) {
  const Metric& metric = *find_metric(e.metric);
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
