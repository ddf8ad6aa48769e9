// Expectations on a replay: parsing them, and holding them against a report.
#include <apf/error.h>
#include <apf/expectation.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

#include "config/closest.h"

namespace apf {

namespace {

struct Metric {
  const char* name;
  bool duration;
  double (*of_tally)(const RequestTally&);  // null: a reading of levels only
  double (*of_level)(const LevelReport&);
};

double wait_at(const RequestTally& tally, double q) { return static_cast<double>(tally.wait.quantile(q)); }

constexpr std::array kMetrics = {
    Metric{"requests", false, [](const RequestTally& t) { return static_cast<double>(t.requests); }, nullptr},
    Metric{"executed", false, [](const RequestTally& t) { return static_cast<double>(t.executed); }, nullptr},
    Metric{"queued", false, [](const RequestTally& t) { return static_cast<double>(t.queued); }, nullptr},
    Metric{"rejected", false, [](const RequestTally& t) { return static_cast<double>(t.rejected()); }, nullptr},
    Metric{"queue-full", false, [](const RequestTally& t) { return static_cast<double>(t.queue_full); }, nullptr},
    Metric{"concurrency-limit", false, [](const RequestTally& t) { return static_cast<double>(t.concurrency_limit); },
           nullptr},
    Metric{"time-out", false, [](const RequestTally& t) { return static_cast<double>(t.time_out); }, nullptr},
    Metric{"max-in-flight", false, [](const RequestTally& t) { return static_cast<double>(t.max_in_flight); }, nullptr},
    Metric{"p50wait", true, [](const RequestTally& t) { return wait_at(t, 0.5); }, nullptr},
    Metric{"p90wait", true, [](const RequestTally& t) { return wait_at(t, 0.9); }, nullptr},
    Metric{"p99wait", true, [](const RequestTally& t) { return wait_at(t, 0.99); }, nullptr},
    Metric{"maxwait", true, [](const RequestTally& t) { return static_cast<double>(t.wait.max()); }, nullptr},
    Metric{"meanwait", true, [](const RequestTally& t) { return t.wait.mean(); }, nullptr},
    Metric{"seats", false, nullptr, [](const LevelReport& l) { return static_cast<double>(l.seats_peak); }},
    Metric{"seats-avg", false, nullptr, [](const LevelReport& l) { return l.seats_avg; }},
};

constexpr std::array<std::string_view, 6> kOperators = {"<=", ">=", "==", "!=", "<", ">"};
constexpr std::string_view kSchemaPrefix = "FlowSchema/";

const Metric* find_metric(std::string_view name) {
  const auto at = std::find_if(kMetrics.begin(), kMetrics.end(), [&](const Metric& m) { return m.name == name; });
  return at == kMetrics.end() ? nullptr : &*at;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

[[noreturn]] void fail(std::string_view text, const std::string& why) {
  throw Error(fmt::format("expectation '{}': {}", text, why));
}

double parse_value(std::string_view text, const Metric& metric, std::string_view value) {
  if (metric.duration) {
    const std::optional<Nanos> duration = parse_go_duration(value);
    if (!duration)
      fail(text,
           fmt::format("{} is compared with a duration such as 1.5s or 200ms, not with '{}'", metric.name, value));
    return static_cast<double>(*duration);
  }
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || !std::isfinite(number)) {
    fail(text, fmt::format("{} is compared with a number, not with '{}'", metric.name, value));
  }
  return number;
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
  return fmt::format("expectation '{}': there is no {} {}{}", e.text, kind, name,
                     near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
}

double read_metric(const Expectation& e, const Metric& metric, const ReplayReport& report) {
  const auto named = [](std::string_view name) { return [name](const auto& r) { return r.name == name; }; };
  if (e.subject.starts_with(kSchemaPrefix)) {
    const std::string_view name = std::string_view(e.subject).substr(kSchemaPrefix.size());
    const auto schema = std::find_if(report.schemas.begin(), report.schemas.end(), named(name));
    if (schema == report.schemas.end()) throw Error(unknown(e, "FlowSchema", name, report.schemas));
    return metric.of_tally(schema->tally);
  }
  if (e.subject == "total") return metric.of_tally(report.total);
  const auto level = std::find_if(report.levels.begin(), report.levels.end(), named(e.subject));
  if (level == report.levels.end()) throw Error(unknown(e, "priority level", e.subject, report.levels));
  return metric.of_level ? metric.of_level(*level) : metric.of_tally(level->tally);
}

}  // namespace

std::vector<std::string> expectation_metrics() {
  std::vector<std::string> names;
  std::transform(kMetrics.begin(), kMetrics.end(), std::back_inserter(names),
                 [](const Metric& m) { return std::string(m.name); });
  return names;
}

bool is_duration_metric(std::string_view metric) {
  const Metric* known = find_metric(metric);
  return known && known->duration;
}

Expectation parse_expectation(std::string_view text) {
  const std::size_t at = text.find_first_of("<>=!");
  if (at == std::string_view::npos)
    fail(text, "an operator is missing: LEVEL.METRIC OP VALUE, with OP one of < <= > >= == !=");
  const auto op = std::find_if(kOperators.begin(), kOperators.end(),
                               [&](std::string_view o) { return text.substr(at).starts_with(o); });
  if (op == kOperators.end()) fail(text, "the operator is none of < <= > >= == !=");
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
    fail(text, fmt::format("'{}' is no metric; {}", out.metric,
                           near.empty() ? "it is one of " + all : fmt::format("did you mean '{}'?", near)));
  }
  if (!metric->of_tally && (out.subject == "total" || out.subject.starts_with(kSchemaPrefix))) {
    fail(text, fmt::format("{} is a reading of priority levels", out.metric));
  }
  out.value = parse_value(text, *metric, value);
  return out;
}

ExpectationResult check_expectation(const Expectation& e, const ReplayReport& report) {
  const Metric& metric = *find_metric(e.metric);
  const double actual = read_metric(e, metric, report);
  ExpectationResult result;
  result.met = holds(actual, e.op, e.value);
  const std::string shown =
      metric.duration ? format_go_duration(static_cast<Nanos>(std::llround(actual))) : fmt::format("{}", actual);
  result.message = fmt::format("{}: it is {}", e.text, shown);
  return result;
}

}  // namespace apf
