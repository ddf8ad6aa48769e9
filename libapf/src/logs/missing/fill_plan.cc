// What a replay has to add to a log so that it meets the load that the server counted.
#include <apf/error.h>
#include <apf/server.h>

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "base/saturated.h"

namespace apf {

namespace {

constexpr std::size_t kSamples = 64;
constexpr double kWholePercent = 99;  // a FlowSchema that has more is whole
constexpr std::uint64_t kLeast = 2;
constexpr std::size_t kUnknownFlows = 8;  // of a group, none of which the log has
constexpr int kMostSeats = 1'000'000;
constexpr double kMostRate = 1e6;  // requests of one server in a second: more is another window

// The value below which the part `q` of a histogram's values lie, even within each bucket.
double quantile(const std::map<double, double>& buckets, double q) {
  const double total = buckets.rbegin()->second;
  double below = 0, bound = 0;
  for (const auto& [upper, count] : buckets) {
    if (count >= q * total && count > below) {
      if (std::isinf(upper)) return bound;
      return bound + (upper - bound) * (q * total - below) / (count - below);
    }
    below = std::max(below, count);
    if (!std::isinf(upper)) bound = upper;
  }
  return bound;
}

// As many values as have the shape of the histogram and the mean `mean`.
std::vector<double> shaped(const std::map<double, double>& buckets, double mean) {
  std::vector<double> out;
  double sum = 0;
  for (std::size_t i = 0; i < kSamples; ++i) {
    out.push_back(quantile(buckets, (static_cast<double>(i) + 0.5) / kSamples));
    sum += out.back();
  }
  if (sum <= 0) return std::vector<double>(1, mean);
  for (double& value : out) value *= mean * kSamples / sum;
  return out;
}

bool has_shape(const std::map<double, double>& buckets) { return !buckets.empty() && buckets.rbegin()->second > 0; }

// The mean of what is missing, where the log says how long the others ran.
double missing_mean(const ServerScrape::Series& series, const LoggedLoad::Schema* logged) {
  const double mean = series.execution_sum / series.execution_count;
  if (!logged || logged->execution_count == 0) return mean;
  const double count = series.execution_count - static_cast<double>(logged->execution_count);
  const double sum = series.execution_sum - logged->execution_sum;
  return count < 1 || sum <= 0 ? mean : sum / count;
}

void set_executions(const ServerScrape::Series& series, const LoggedLoad::Schema* logged, const LoggedLoad& all,
                    FillPlan::Schema& out) {
  using Source = FillPlan::Schema::Source;
  if (series.execution_count > 0) {
    const double mean = missing_mean(series, logged);
    out.source = has_shape(series.execution_buckets) ? Source::histogram : Source::mean;
    const std::vector<double> seconds =
        out.source == Source::histogram ? shaped(series.execution_buckets, mean) : std::vector<double>(1, mean);
    for (const double value : seconds) out.executions.push_back(std::min(nanos_of(value), kLongestDuration));
    return;
  }
  out.source = logged && !logged->executions.empty() ? Source::log : Source::whole_log;
  if (out.source == Source::log) {
    out.executions = logged->executions;
    return;
  }
  for (const auto& [key, schema] : all.schemas)
    out.executions.insert(out.executions.end(), schema.executions.begin(), schema.executions.end());
  std::sort(out.executions.begin(), out.executions.end());
  if (out.executions.empty()) out.executions.push_back(kMillisecond);
}

std::vector<int> widths_of(const ServerScrape::Series& series) {
  if (series.seats_count <= 0 || series.seats_sum <= series.seats_count * 1.001) return {1};
  const double mean = series.seats_sum / series.seats_count;
  const auto width_of = [](double seats) { return std::max(1, saturated(seats, kMostSeats)); };
  if (!has_shape(series.seats_buckets)) return {width_of(mean + 0.5)};
  std::vector<int> out;
  double owed = 0;  // what rounding left
  for (const double value : shaped(series.seats_buckets, mean)) {
    const int width = width_of(value + owed);
    owed += value - width;
    out.push_back(width);
  }
  return out;
}

// As many as the log has users; else as many as the FlowSchema names, if it names them one by one.
std::size_t flows_of(const std::string& name, const LoggedLoad::Schema* logged, const Config& config) {
  if (logged && logged->users > 0) return logged->users;
  for (const FlowSchema& schema : config.flow_schemas) {
    if (schema.meta.name != name) continue;
    std::size_t users = 0;
    for (const PolicyRule& rule : schema.rules) {
      for (const Subject& subject : rule.subjects) {
        const bool one = subject.kind == "User" ? subject.user && *subject.user != "*"
                                                : subject.service_account && subject.service_account->name != "*";
        if (!one) return kUnknownFlows;
        ++users;
      }
    }
    return std::max<std::size_t>(users, 1);
  }
  return kUnknownFlows;
}

}  // namespace

std::uint64_t FillPlan::requests() const {
  std::uint64_t out = 0;
  for (const Schema& schema : schemas) out += schema.requests;
  return out;
}

FillPlan plan_fill(const ServerLoad& load, const LoggedLoad& logged, const CoverageReport& coverage,
                   const Config& config) {
  FillPlan plan;
  if (!logged.begin) return plan;
  plan.begin = std::max(*logged.begin, load.begin.value_or(*logged.begin));
  plan.end = std::max(plan.begin + 1, *logged.end);
  plan.width = logged.width;
  for (const CoverageReport::Schema& schema : coverage.schemas) {
    const std::uint64_t asked = schema.dispatched + schema.rejected, has = schema.in_log + schema.rejected_in_log;
    const double percent = asked == 0 ? 100 : 100 * static_cast<double>(has) / static_cast<double>(asked);
    if (asked < has + kLeast || percent >= kWholePercent) continue;
    const std::pair<std::string, std::string> key(schema.name, schema.priority_level);
    const auto of_log = logged.schemas.find(key);
    const LoggedLoad::Schema* in_log = of_log == logged.schemas.end() ? nullptr : &of_log->second;
    const ServerScrape::Series& series = load.series.at(key);
    FillPlan::Schema& out = plan.schemas.emplace_back();
    out.name = schema.name;
    out.priority_level = schema.priority_level;
    out.requests = asked - has;
    set_executions(series, in_log, logged, out);
    out.widths = widths_of(series);
    out.flows = flows_of(schema.name, in_log, config);
    if (in_log && has > 0)
      for (const std::uint64_t count : in_log->over_time) out.over_time.push_back(static_cast<double>(count));
  }
  const double seconds = std::max(1.0, static_cast<double>(plan.end - plan.begin) / 1e9);
  if (static_cast<double>(plan.requests()) > kMostRate * seconds)
    throw Error(fmt::format(
        "{} {} {} requests more than the log has in its {:.0f} s, which no server serves; give scrapes taken just "
        "before "
        "its first and just after its last request",
        load.name, load.name.find(" and ") == std::string::npos ? "counts" : "count", plan.requests(), seconds));
  return plan;
}

}  // namespace apf
