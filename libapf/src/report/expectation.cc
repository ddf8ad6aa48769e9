// Expectations on a replay: parsing them, and comparing them with a report.
#include <apf/error.h>
#include <apf/report.h>
#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "report/expectation_text.h"
#include "report/ranges.h"

namespace apf {

namespace {

struct ReplayMetric {
  const char* name;
  ExpectedUnit unit;
  double (*of_tally)(const RequestTally&) = nullptr;
  double (*of_level)(const LevelReport&) = nullptr;
  Outcome outcome = Outcome::executed;  // else: how many requests had it

  bool is_of_levels_only() const { return of_level != nullptr; }
  double read(const RequestTally& tally) const {
    return outcome == Outcome::executed ? of_tally(tally) : static_cast<double>(tally.outcomes[outcome]);
  }
};

double wait_at(const RequestTally& tally, double q) { return static_cast<double>(tally.wait.quantile(q)); }

double utilization(const LevelReport& level) {
  return !level.exempt && level.current_cl_avg > 0 ? level.seats_avg / level.current_cl_avg : 0;
}

// Each outcome has a metric of its name, too.
constexpr ReplayMetric kRequestMetrics[] = {
    {"requests", ExpectedUnit::requests, [](Tally t) { return static_cast<double>(t.requests); }},
    {"executed", ExpectedUnit::requests, [](Tally t) { return static_cast<double>(t.executed()); }},
    {"queued", ExpectedUnit::requests, [](Tally t) { return static_cast<double>(t.queued); }},
    {"rejected", ExpectedUnit::requests, [](Tally t) { return static_cast<double>(t.rejected()); }},
};
constexpr ReplayMetric kOtherMetrics[] = {
    {"p50wait", ExpectedUnit::duration, [](Tally t) { return wait_at(t, 0.5); }},
    {"p90wait", ExpectedUnit::duration, [](Tally t) { return wait_at(t, 0.9); }},
    {"p95wait", ExpectedUnit::duration, [](Tally t) { return wait_at(t, 0.95); }},
    {"p99wait", ExpectedUnit::duration, [](Tally t) { return wait_at(t, 0.99); }},
    {"maxwait", ExpectedUnit::duration, [](Tally t) { return static_cast<double>(t.wait.max()); }},
    {"meanwait", ExpectedUnit::duration, [](Tally t) { return t.wait.mean(); }},
    {"seat-seconds", ExpectedUnit::seat_seconds, [](Tally t) { return t.seat_seconds; }},
    {"seats", ExpectedUnit::seats, nullptr, [](const LevelReport& l) { return static_cast<double>(l.seats_peak); }},
    {"seats-avg", ExpectedUnit::seats, nullptr, [](const LevelReport& l) { return l.seats_avg; }},
    {"utilization", ExpectedUnit::share, nullptr, utilization},
    {"limit-min", ExpectedUnit::seats, nullptr,
     [](const LevelReport& l) { return static_cast<double>(l.current_cl_min); }},
    {"limit-avg", ExpectedUnit::seats, nullptr, [](const LevelReport& l) { return l.current_cl_avg; }},
    {"limit-max", ExpectedUnit::seats, nullptr,
     [](const LevelReport& l) { return static_cast<double>(l.current_cl_max); }},
    {"borrowed-avg", ExpectedUnit::seats, nullptr, [](const LevelReport& l) { return l.borrowed_avg; }},
    {"lent-avg", ExpectedUnit::seats, nullptr, [](const LevelReport& l) { return l.lent_avg; }},
};

const std::vector<ReplayMetric>& replay_metrics() {
  static const std::vector<ReplayMetric> all = [] {
    std::vector<ReplayMetric> out(std::begin(kRequestMetrics), std::end(kRequestMetrics));
    for (const OutcomeRow& row : refusals())
      out.push_back({row.name, ExpectedUnit::requests, nullptr, nullptr, row.outcome});
    out.insert(out.end(), std::begin(kOtherMetrics), std::end(kOtherMetrics));
    return out;
  }();
  return all;
}

// Other words for them, as people write them.
constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
    {"refused", "rejected"}, {"maxseats", "seats"},   {"avgseats", "seats-avg"},
    {"avgwait", "meanwait"}, {"p100wait", "maxwait"},
};

constexpr std::string_view kSchemaPrefix = "FlowSchema/";

const ReplayMetric* find_replay_metric(std::string_view name) {
  for (const auto& [word, meant] : kSynonyms)
    if (name == word) name = meant;
  const auto at = std::find_if(replay_metrics().begin(), replay_metrics().end(),
                               [&](const ReplayMetric& m) { return m.name == name; });
  return at == replay_metrics().end() ? nullptr : &*at;
}

template <class Reports>
std::string unknown(const Expectation& e, const char* kind, std::string_view name, const Reports& reports) {
  std::vector<std::string_view> names;
  for (const auto& report : reports) names.push_back(report.name);
  return unknown_subject(e.text, kind, name, names);
}

double read_tally(const Expectation& e, const ReplayMetric& metric, const RequestTally& tally) {
  const double value = metric.read(tally);
  if (!e.percent) return value;
  return tally.requests > 0 ? value / static_cast<double>(tally.requests) : 0;
}

// A schema that changed its level in the run is there once for each.
RequestTally schema_tally(const ReplayReport& report, std::string_view name) {
  RequestTally sum;
  for (const SchemaReport& schema : report.schemas) {
    if (schema.name != name) continue;
    sum.requests += schema.tally.requests;
    sum.queued += schema.tally.queued;
    sum.outcomes += schema.tally.outcomes;
    sum.seat_seconds += schema.tally.seat_seconds;
    sum.wait.merge(schema.tally.wait);
  }
  return sum;
}

double read_metric(const Expectation& e, const ReplayMetric& metric, const ReplayReport& report) {
  const auto named = [](std::string_view name) { return [name](const auto& r) { return r.name == name; }; };
  if (e.subject.starts_with(kSchemaPrefix)) {
    const std::string_view name = std::string_view(e.subject).substr(kSchemaPrefix.size());
    const auto schema = std::find_if(report.schemas.begin(), report.schemas.end(), named(name));
    if (schema == report.schemas.end()) throw Error(unknown(e, "FlowSchema", name, report.schemas));
    return read_tally(e, metric, schema_tally(report, name));
  }
  if (e.subject == "total") return read_tally(e, metric, report.total);
  const auto level = std::find_if(report.levels.begin(), report.levels.end(), named(e.subject));
  if (level == report.levels.end()) throw Error(unknown(e, "priority level", e.subject, report.levels));
  return metric.of_level ? metric.of_level(*level) : read_tally(e, metric, level->tally);
}

}  // namespace

std::vector<std::string> expectation_metrics() {
  std::vector<std::string> names;
  std::transform(replay_metrics().begin(), replay_metrics().end(), std::back_inserter(names),
                 [](const ReplayMetric& m) { return std::string(m.name); });
  return names;
}

Expectation parse_expectation(std::string_view text) {
  const ExpectationParts parts = split_expectation(text, "LEVEL.METRIC, total.METRIC or FlowSchema/NAME.METRIC");
  Expectation out;
  out.text = trimmed(text);
  out.subject = parts.subject;
  out.op = parts.op;
  const ReplayMetric* metric = find_replay_metric(parts.metric);
  if (!metric) fail_unknown_metric(text, parts.metric, expectation_metrics());
  if (metric->is_of_levels_only() && (out.subject == "total" || out.subject.starts_with(kSchemaPrefix))) {
    fail_expectation(text, fmt::format("{} exists for priority levels only", parts.metric));
  }
  out.metric = metric->name;
  const ExpectedValue parsed = parse_expected_value(text, metric->name, metric->unit, parts.value);
  out.value = parsed.number;
  out.percent = parsed.percent && metric->unit == ExpectedUnit::requests;
  return out;
}

ExpectationResult check_expectation(const Expectation& e, const ReplayReport& report) {
  const ReplayMetric& metric = *find_replay_metric(e.metric);
  Range<double> actual;
  actual.value = actual.low = actual.high = read_metric(e, metric, report);
  ExpectationResult result;
  result.met = expectation_holds(actual.value, e.op, e.value);
  for (const ReplayReport& other : report.others) {  // what the log leaves open, an expectation must bear
    const double here = read_metric(e, metric, other);
    result.met = result.met && expectation_holds(here, e.op, e.value);
    actual.low = std::min(actual.low, here);
    actual.high = std::max(actual.high, here);
  }
  const auto text = [&](double value) { return expected_value_text(metric.unit, e.percent, value); };
  const std::string low = text(actual.low), high = text(actual.high);
  result.message = low == high ? fmt::format("{}: it is {}", e.text, text(actual.value))
                               : fmt::format("{}: it is {} to {}", e.text, low, high);
  return result;
}

double expectation_value(const Expectation& e, const ReplayReport& report) {
  return read_metric(e, *find_replay_metric(e.metric), report);
}

std::string expectation_text(const Expectation& e, double value) {
  return expected_value_text(find_replay_metric(e.metric)->unit, e.percent, value);
}

}  // namespace apf
