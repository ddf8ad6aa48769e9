// How much of what a server counted is in a log.
#include <apf/error.h>
#include <apf/server.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include <fmt/core.h>

#include "base/hash.h"
#include "base/saturated.h"
#include "logs/log_event.h"
#include "logs/traced_info.h"

namespace apf {

namespace {

constexpr std::size_t kMostUsers = 4096;       // whose candidates are remembered
constexpr std::size_t kMostSchemaBins = 2048;  // of a FlowSchema, over time
constexpr std::size_t kMostExecutions = 256;   // that are kept
constexpr std::size_t kMostFlows = 1000;
constexpr std::size_t kCutNames = 64;  // HTTP lines cut names there
constexpr int kTooMany = 429, kUnauthorized = 401;

// A scrape is a request, too, and requests run while it is made: counts may differ by that much.
constexpr std::uint64_t kFewRequests = 10;
constexpr double kFewPercent = 0.02;
constexpr Nanos kClockDifference = 2 * kSecond;  // by which the times of a log and of a scrape may differ

// Every k-th of many values, k doubling as they grow in number.
class EvenSample {
 public:
  explicit EvenSample(std::vector<Nanos>& values) : values_(values) {}
  void add(Nanos value) {
    if (seen_++ % step_ != 0) return;
    values_.push_back(value);
    if (values_.size() < kMostExecutions) return;
    for (std::size_t i = 0; i < values_.size() / 2; ++i) values_[i] = values_[2 * i];
    values_.resize(values_.size() / 2);
    step_ *= 2;
  }

 private:
  std::vector<Nanos>& values_;
  std::uint64_t seen_ = 0, step_ = 1;
};

class LoadCounter {
 public:
  explicit LoadCounter(const Config& config) : classifier_(config) {}

  void count(const TraceRequest& request) {
    const bool nobody = request.user.name.empty();
    if (request.code == kUnauthorized && nobody) return;  // it never reached the filter
    const RequestInfo& info = info_of(request, parsed_);
    const bool watch = info.verb == "watch";
    if (!watch && is_long_running(info)) return;
    const std::uint32_t schema =
        nobody && !request.recorded.flow_schema.empty() ? recorded(request) : classify(request, info);
    if (schema == UINT32_MAX) return;
    if (watch) {
      watches_.emplace_back(request.time, schema);
    } else if (!first_ || request.time < *first_) {
      first_ = request.time;
    }
    add(request, info, schema, watch);
  }

  LoggedLoad result() {
    // Watches that were there before the log: the server counted them earlier.
    for (const auto& [time, schema] : watches_) {
      if (!first_ || time >= *first_ - kSecond) continue;
      LoggedLoad::Schema& of = *by_number_.at(schema);
      if (of.served > 0) --of.served, --of.watches, --out_.requests;
    }
    for (auto& [key, schema] : out_.schemas) schema.over_time.resize(bins_);
    return std::move(out_);
  }

 private:
  std::uint32_t classify(const TraceRequest& request, const RequestInfo& info) {
    key_ = request.user.name;
    for (const std::string& group : request.user.groups) (key_ += '\n') += group;
    auto found = users_.find(key_);
    if (found == users_.end()) {
      if (users_.size() >= kMostUsers) users_.clear();
      found = users_.emplace(key_, classifier_.candidates(request.user)).first;
    }
    return classifier_.match(info, *found->second).schema;
  }

  std::uint32_t recorded(const TraceRequest& request) const {
    const std::string& name = request.recorded.flow_schema;
    const auto& schemas = classifier_.schemas();
    for (std::uint32_t i = 0; i < schemas.size(); ++i)
      if (schemas[i].name == name || (name.size() == kCutNames && schemas[i].name.starts_with(name))) return i;
    return UINT32_MAX;
  }

  void add(const TraceRequest& request, const RequestInfo& info, std::uint32_t number, bool watch) {
    LoggedLoad::Schema*& of = by_number_[number];
    if (!of) {
      const Classifier::Schema& schema = classifier_.schemas()[number];
      of = &out_.schemas[{schema.name, classifier_.levels()[schema.level].name}];
      samples_.emplace(number, EvenSample(of->executions));
    }
    ++out_.requests;
    const bool ended = request.execution || request.recorded_end || request.init;
    if ((request.code == kTooMany || request.code == kGatewayTimeout) && !ended) ++of->refused;
    else ++of->served;
    of->watches += watch;
    if (std::set<std::uint64_t>& users = seen_users_[number]; users.size() < kMostFlows)
      users.insert(hash_bytes(request.user.name));
    of->users = seen_users_[number].size();
    of->lists += info.verb == "list";
    of->writes += is_mutating(info);
    add_list(request, info, *of);
    add_execution(request, number, *of);
    add_time(request.time, *of);
  }

  // A watch without a resourceVersion, or of 0, begins with a list as well (since 1.35).
  void add_list(const TraceRequest& request, const RequestInfo& info, LoggedLoad::Schema& of) const {
    const bool has_query = !request.request_info;
    const RequestQuery& query = parsed_.query;
    const bool begins =
        has_query && (query.send_initial_events || query.resource_version.empty() || query.resource_version == "0");
    if (!info.is_resource_request || !(info.verb == "list" || (info.verb == "watch" && begins))) return;
    const std::string resource = info.api_group.empty() ? info.resource : info.resource + "." + info.api_group;
    if (info.name.empty()) ++of.listed[resource];
    else of.listed_by_name.insert(resource);
  }

  void add_execution(const TraceRequest& request, std::uint32_t number, LoggedLoad::Schema& of) {
    std::optional<Nanos> time = request.execution ? request.execution : request.init;
    if (!time && request.recorded_end)
      time = *request.recorded_end - request.time - request.recorded.queue_wait.value_or(0);
    if (!time || *time < 0) return;
    of.execution_sum += static_cast<double>(*time) / 1e9;
    ++of.execution_count;
    samples_.at(number).add(*time);
  }

  void add_time(Nanos time, LoggedLoad::Schema& of) {
    if (!out_.begin) out_.begin = time;
    if (!out_.end || time > *out_.end) out_.end = time;
    const auto bin_of = [&] { return static_cast<std::size_t>(std::max<Nanos>(0, time - *out_.begin) / out_.width); };
    while (bin_of() >= kMostSchemaBins) halve();
    const std::size_t bin = bin_of();
    bins_ = std::max(bins_, bin + 1);
    if (of.over_time.size() <= bin) of.over_time.resize(bin + 1);
    ++of.over_time[bin];
  }

  void halve() {
    out_.width *= 2;
    bins_ = (bins_ + 1) / 2;
    for (auto& [key, schema] : out_.schemas) {
      std::vector<std::uint64_t>& bins = schema.over_time;
      for (std::size_t i = 0; i < bins.size(); ++i) {
        const std::uint64_t count = bins[i];
        bins[i] = 0;
        bins[i / 2] += count;
      }
      bins.resize((bins.size() + 1) / 2);
    }
  }

  const Classifier classifier_;
  LoggedLoad out_;
  std::unordered_map<std::string, std::shared_ptr<const Classifier::Candidates>> users_;
  std::unordered_map<std::uint32_t, LoggedLoad::Schema*> by_number_;
  std::unordered_map<std::uint32_t, EvenSample> samples_;
  std::unordered_map<std::uint32_t, std::set<std::uint64_t>> seen_users_;
  std::vector<std::pair<Nanos, std::uint32_t>> watches_;
  std::optional<Nanos> first_;
  std::size_t bins_ = 0;
  ParsedRequest parsed_;
  std::string key_;
};

std::uint64_t whole(double number) { return saturated<std::uint64_t>(number + 0.5, 1'000'000'000'000'000'000); }

std::optional<double> mean(double sum, double count) { return count > 0 ? std::optional(sum / count) : std::nullopt; }

double percent_of(double part, double of) { return of > 0 ? std::min(100.0, 100 * part / of) : 100; }

void check_window(const ServerLoad& load, const LoggedLoad& logged) {
  if (!logged.begin) return;
  const char* const are = load.name.find(" and ") == std::string::npos ? "is" : "are";
  if (load.started && *load.started > *logged.begin + kClockDifference && *load.started <= *logged.end) {
    throw Error(fmt::format(
        "{} {} of a server that started at {}, within the log, which begins at {}: the counters lack what came before; "
        "give the log from then on, or scrapes of the run that wrote it",
        load.name, are, format_rfc3339(*load.started), format_rfc3339(*logged.begin)));
  }
  const bool before = load.end && *load.end < *logged.begin, after = load.begin && *load.begin > *logged.end;
  if (!before && !after) return;
  throw Error(
      fmt::format("{} {} of another time than the log: {}, and the log is from {} to {}; give scrapes taken just "
                  "before its first and just after its last request",
                  load.name, are,
                  after ? "the server's counters begin at " + format_rfc3339(*load.begin)
                        : "the last scrape is from " + format_rfc3339(*load.end),
                  format_rfc3339(*logged.begin), format_rfc3339(*logged.end)));
}

// More in the log than the server counted: in one FlowSchema the configuration may be another, in all it is the time.
void check_counts(const CoverageReport& report, const ServerLoad& load) {
  const auto too_many = [](std::uint64_t in_log, std::uint64_t counted) {
    return in_log > counted + kFewRequests &&
           static_cast<double>(in_log) > (1 + kFewPercent) * static_cast<double>(counted);
  };
  const CoverageReport::Schema* worst = nullptr;
  for (const CoverageReport::Schema& schema : report.schemas) {
    if (!too_many(schema.in_log, schema.dispatched)) continue;
    if (!worst || schema.in_log - schema.dispatched > worst->in_log - worst->dispatched) worst = &schema;
  }
  if (!worst || (!report.unknown.empty() && !too_many(report.in_log(), report.dispatched()))) return;
  throw Error(fmt::format(
      "{} {} of another time or of another configuration than the log: the server counted {} of FlowSchema {}, and the "
      "log has {}; give scrapes taken just before its first and just after its last request, and the configuration "
      "that "
      "the server had then",
      load.name, load.name.find(" and ") == std::string::npos ? "is" : "are",
      worst->dispatched == 1 ? "1 request" : fmt::format("{} requests", worst->dispatched), worst->name,
      worst->in_log));
}

}  // namespace

LoggedLoad count_load(const LogOptions& options, const Config& config) {
  std::optional<LoadCounter> counter(std::in_place, config);
  trace_logs(
      options, [&](const TraceRequest& request) { counter->count(request); }, [&] { counter.emplace(config); });
  return counter->result();
}

double CoverageReport::Schema::percent() const {
  return percent_of(static_cast<double>(in_log), static_cast<double>(dispatched));
}

std::uint64_t CoverageReport::dispatched() const {
  std::uint64_t out = 0;
  for (const Schema& schema : schemas) out += schema.dispatched;
  return out;
}

std::uint64_t CoverageReport::in_log() const {
  std::uint64_t out = 0;
  for (const Schema& schema : schemas) out += schema.in_log;
  return out;
}

std::uint64_t CoverageReport::missing() const {
  std::uint64_t out = 0;
  for (const Schema& schema : schemas) out += schema.dispatched - std::min(schema.dispatched, schema.in_log);
  return out;
}

// What one FlowSchema has too many does not make up for what another lacks.
double CoverageReport::percent() const {
  return percent_of(static_cast<double>(dispatched() - missing()), static_cast<double>(dispatched()));
}

CoverageReport compare_load(const ServerLoad& load, const LoggedLoad& logged, const Config& config) {
  check_window(load, logged);
  CoverageReport report;
  report.scrapes = load.name;
  std::map<std::pair<std::string, std::string>, CoverageReport::Schema> schemas;  // by level and name
  for (const auto& [key, series] : load.series) {
    const std::uint64_t dispatched = whole(series.dispatched), rejected = whole(series.rejected);
    if (dispatched + rejected == 0) continue;
    CoverageReport::Schema& out = schemas[{key.second, key.first}];
    out.dispatched = dispatched;
    out.rejected = rejected;
    out.execution = mean(series.execution_sum, series.execution_count);
    out.wait = mean(series.wait_sum, series.wait_count);
    const bool known = std::any_of(config.flow_schemas.begin(), config.flow_schemas.end(),
                                   [&, &key = key](const FlowSchema& schema) { return schema.meta.name == key.first; });
    if (!known) report.unknown.push_back(key.first);
  }
  for (const auto& [key, schema] : logged.schemas) {
    if (schema.served + schema.refused == 0) continue;
    CoverageReport::Schema& out = schemas[{key.second, key.first}];
    out.in_log = schema.served;
    out.rejected_in_log = schema.refused;
    out.execution_in_log = mean(schema.execution_sum, static_cast<double>(schema.execution_count));
  }
  for (auto& [key, schema] : schemas) {
    schema.priority_level = key.first;
    schema.name = key.second;
    report.schemas.push_back(std::move(schema));
  }
  check_counts(report, load);
  return report;
}

}  // namespace apf
