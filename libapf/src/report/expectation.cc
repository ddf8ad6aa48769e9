// Expectations on a replay: parsing them, and comparing them with a report.
#include <apf/error.h>
#include <apf/report.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

#include "base/text.h"
#include "config/closest.h"
#include "report/ranges.h"

namespace apf {

namespace {

// What its values are written as.
enum class Unit : std::uint8_t {
  requests,  // a number, or a part of all requests in percent
  duration,
  seats,
  share,  // 0.8 or 80%
  seat_seconds,
};

struct Metric {
  const char* name;
  Unit unit;
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

using Tally = const RequestTally&;
using Level = const LevelReport&;

// Each outcome has a metric of its name, too.
constexpr Metric kRequestMetrics[] = {
    {"requests", Unit::requests, [](Tally t) { return static_cast<double>(t.requests); }},
    {"executed", Unit::requests, [](Tally t) { return static_cast<double>(t.executed()); }},
    {"queued", Unit::requests, [](Tally t) { return static_cast<double>(t.queued); }},
    {"rejected", Unit::requests, [](Tally t) { return static_cast<double>(t.rejected()); }},
};
constexpr Metric kOtherMetrics[] = {
    {"p50wait", Unit::duration, [](Tally t) { return wait_at(t, 0.5); }},
    {"p90wait", Unit::duration, [](Tally t) { return wait_at(t, 0.9); }},
    {"p95wait", Unit::duration, [](Tally t) { return wait_at(t, 0.95); }},
    {"p99wait", Unit::duration, [](Tally t) { return wait_at(t, 0.99); }},
    {"maxwait", Unit::duration, [](Tally t) { return static_cast<double>(t.wait.max()); }},
    {"meanwait", Unit::duration, [](Tally t) { return t.wait.mean(); }},
    {"seat-seconds", Unit::seat_seconds, [](Tally t) { return t.seat_seconds; }},
    {"seats", Unit::seats, nullptr, [](Level l) { return static_cast<double>(l.seats_peak); }},
    {"seats-avg", Unit::seats, nullptr, [](Level l) { return l.seats_avg; }},
    {"utilization", Unit::share, nullptr, utilization},
    {"limit-min", Unit::seats, nullptr, [](Level l) { return static_cast<double>(l.current_cl_min); }},
    {"limit-avg", Unit::seats, nullptr, [](Level l) { return l.current_cl_avg; }},
    {"limit-max", Unit::seats, nullptr, [](Level l) { return static_cast<double>(l.current_cl_max); }},
    {"borrowed-avg", Unit::seats, nullptr, [](Level l) { return l.borrowed_avg; }},
    {"lent-avg", Unit::seats, nullptr, [](Level l) { return l.lent_avg; }},
};

const std::vector<Metric>& metrics() {
  static const std::vector<Metric> all = [] {
    std::vector<Metric> out(std::begin(kRequestMetrics), std::end(kRequestMetrics));
    for (const OutcomeRow& row : refusals()) out.push_back({row.name, Unit::requests, nullptr, nullptr, row.outcome});
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

constexpr std::array<std::string_view, 6> kOperators = {"<=", ">=", "==", "!=", "<", ">"};
constexpr std::string_view kSchemaPrefix = "FlowSchema/";

const Metric* find_metric(std::string_view name) {
  for (const auto& [word, meant] : kSynonyms)
    if (name == word) name = meant;
  const auto at = std::find_if(metrics().begin(), metrics().end(), [&](const Metric& m) { return m.name == name; });
  return at == metrics().end() ? nullptr : &*at;
}

[[noreturn]] void fail(std::string_view text, const std::string& why) {
  throw Error(fmt::format("expectation '{}': {}", text, why));
}

// The number, and whether it was a percentage (then as a part of 1).
struct Value {
  double number = 0;
  bool percent = false;
};

Value parse_value(std::string_view text, const Metric& metric, std::string_view value) {
  if (metric.unit == Unit::duration) {
    const std::optional<Nanos> duration = parse_go_duration(value);
    if (!duration) fail(text, fmt::format("{} needs a duration such as 1.5s or 200ms, not '{}'", metric.name, value));
    return {static_cast<double>(*duration), false};
  }
  const bool percent = value.ends_with('%') && (metric.unit == Unit::requests || metric.unit == Unit::share);
  const std::string_view digits = percent ? trimmed(value.substr(0, value.size() - 1)) : value;
  Value out;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out.number);
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(out.number)) {
    fail(text, fmt::format("{} needs a number{}, not '{}'", metric.name,
                           metric.unit == Unit::requests ? " (or a share of the requests such as 1%)"
                           : metric.unit == Unit::share  ? " such as 0.8 or 80%"
                                                         : "",
                           value));
  }
  if (percent) out.number /= 100;
  out.percent = percent;
  return out;
}

bool holds(double actual, const std::string& op, double value) {
  if (op == "<") return actual < value;
  if (op == "<=") return actual <= value;
  if (op == ">") return actual > value;
  if (op == ">=") return actual >= value;
  if (op == "==") return actual == value;
  return actual != value;
}

template <class Reports>
std::string unknown(const Expectation& e, const char* kind, std::string_view name, const Reports& reports) {
  std::vector<std::string_view> names;
  for (const auto& report : reports) names.push_back(report.name);
  const std::string_view near = closest(name, names);
  return fmt::format("expectation '{}': no {} {}{}", e.text, kind, name,
                     near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
}

double read_tally(const Expectation& e, const Metric& metric, const RequestTally& tally) {
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

double read_metric(const Expectation& e, const Metric& metric, const ReplayReport& report) {
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

// With the unit of the metric.
std::string show(const Metric& metric, const Expectation& e, double actual) {
  const auto percent = [&] { return fmt::format("{} %", std::round(actual * 1e4) / 100); };
  switch (metric.unit) {
    case Unit::duration:
      return format_go_duration(static_cast<Nanos>(std::llround(actual)));
    case Unit::share:
      return percent();
    case Unit::requests:
      return e.percent ? percent() : grouped(static_cast<std::uint64_t>(actual));
    case Unit::seats:
    case Unit::seat_seconds:
      break;
  }
  return fmt::format("{}", std::round(actual * 1000) / 1000);
}

}  // namespace

std::vector<std::string> expectation_metrics() {
  std::vector<std::string> names;
  std::transform(metrics().begin(), metrics().end(), std::back_inserter(names),
                 [](const Metric& m) { return std::string(m.name); });
  return names;
}

Expectation parse_expectation(std::string_view text) {
  const std::size_t at = text.find_first_of("<>=!");
  if (at == std::string_view::npos)
    fail(text, "no operator; write LEVEL.METRIC OP VALUE, with OP one of < <= > >= == !=");
  const auto op = std::find_if(kOperators.begin(), kOperators.end(),
                               [&](std::string_view o) { return text.substr(at).starts_with(o); });
  if (op == kOperators.end()) fail(text, "unknown operator (supported: < <= > >= == !=)");
  const std::string_view left = trimmed(text.substr(0, at)), value = trimmed(text.substr(at + op->size()));
  const std::size_t dot = left.rfind('.');  // names may hold dots, metrics do not
  if (dot == std::string_view::npos || dot == 0)
    fail(text, "the left side is not LEVEL.METRIC, total.METRIC or FlowSchema/NAME.METRIC");
  Expectation out;
  out.text = trimmed(text);
  out.subject = left.substr(0, dot);
  out.metric = left.substr(dot + 1);
  out.op = *op;
  const Metric* metric = find_metric(out.metric);
  if (!metric) {
    const std::vector<std::string> names = expectation_metrics();
    const std::string_view near = closest(out.metric, names);
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    fail(text, fmt::format("unknown metric '{}'{}", out.metric,
                           near.empty() ? " (supported: " + all + ")" : fmt::format("; did you mean '{}'?", near)));
  }
  if (metric->is_of_levels_only() && (out.subject == "total" || out.subject.starts_with(kSchemaPrefix))) {
    fail(text, fmt::format("{} exists for priority levels only", out.metric));
  }
  out.metric = metric->name;
  const Value parsed = parse_value(text, *metric, value);
  out.value = parsed.number;
  out.percent = parsed.percent && metric->unit == Unit::requests;
  return out;
}

ExpectationResult check_expectation(const Expectation& e, const ReplayReport& report) {
  const Metric& metric = *find_metric(e.metric);
  Range<double> actual;
  actual.value = actual.low = actual.high = read_metric(e, metric, report);
  ExpectationResult result;
  result.met = holds(actual.value, e.op, e.value);
  for (const ReplayReport& other : report.others) {  // what the log leaves open, an expectation must bear
    const double here = read_metric(e, metric, other);
    result.met = result.met && holds(here, e.op, e.value);
    actual.low = std::min(actual.low, here);
    actual.high = std::max(actual.high, here);
  }
  const auto text = [&](double value) { return show(metric, e, value); };
  const std::string low = text(actual.low), high = text(actual.high);
  result.message = low == high ? fmt::format("{}: it is {}", e.text, text(actual.value))
                               : fmt::format("{}: it is {} to {}", e.text, low, high);
  return result;
}

double expectation_value(const Expectation& e, const ReplayReport& report) {
  return read_metric(e, *find_metric(e.metric), report);
}

std::string expectation_text(const Expectation& e, double value) { return show(*find_metric(e.metric), e, value); }

}  // namespace apf
