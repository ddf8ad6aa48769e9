// What an inspection knows of the figures that expectations name. Histograms know bounds of quantiles.
#include <algorithm>
#include <iterator>

#include <apf/error.h>
#include <apf/logs_report.h>
#include <fmt/core.h>

#include "report/core/facts.h"

namespace apf {

namespace {

using Bounds = InspectedHistogram::Bounds;
using Inspected = const InspectedLevel&;

struct InspectMetric {
  ExpectedMetric name;
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

std::optional<Bounds> mean_wait(Inspected level, const Inspection&) {
  if (level.wait.count <= 0) return std::nullopt;
  return exactly(level.wait.mean() * 1e9);
}

std::optional<Bounds> drain_time(Inspected level, const Inspection&) {
  if (level.waiting && *level.waiting <= 0) return exactly(0.0);
  if (!level.drain) return std::nullopt;
  return exactly(*level.drain * 1e9);
}

using In = const Inspection&;
using Unit = ExpectedUnit;
constexpr MetricOf kSums = MetricOf::sums, kLevels = MetricOf::levels;
constexpr InspectMetric kInspectMetrics[] = {
    {{"executing", Unit::requests, kSums}, [](Inspected l, In) { return exactly(l.executing); }},
    {{"waiting", Unit::requests, kSums}, [](Inspected l, In) { return exactly(l.waiting); }},
    {{"dispatched", Unit::requests, kSums}, [](Inspected l, In) { return exactly(l.dispatched); }},
    {{"rejected", Unit::requests, kSums}, [](Inspected l, In) { return exactly(l.rejected); }},
    {{"queue-full", Unit::requests, kSums}, [](Inspected l, In i) { return refused(l, i, "queue-full"); }},
    {{"concurrency-limit", Unit::requests, kSums},
     [](Inspected l, In i) { return refused(l, i, "concurrency-limit"); }},
    {{"time-out", Unit::requests, kSums}, [](Inspected l, In i) { return refused(l, i, "time-out"); }},
    {{"dispatch-rate", Unit::number, kSums}, [](Inspected l, In i) { return rate(l.dispatched, i); }},
    {{"reject-rate", Unit::number, kSums}, [](Inspected l, In i) { return rate(l.rejected, i); }},
    {{"seats", Unit::seats, kSums}, [](Inspected l, In) { return exactly(l.executing_seats); }},
    {{"waiting-seats", Unit::seats, kSums}, [](Inspected l, In) { return exactly(l.waiting_seats); }},
    {{"limit", Unit::seats, kLevels}, [](Inspected l, In) { return exactly(l.current); }},
    {{"nominal", Unit::seats, kLevels}, [](Inspected l, In) { return exactly(l.nominal); }},
    {{"borrowed", Unit::seats, kLevels, true}, [](Inspected l, In) { return exactly(l.borrowed()); }},
    {{"utilization", Unit::share, kLevels}, [](Inspected l, In) { return exactly(l.utilization()); }},
    {{"p50wait", Unit::duration, kLevels}, [](Inspected l, In) { return nanos(l.wait.quantile(0.5)); }},
    {{"p90wait", Unit::duration, kLevels}, [](Inspected l, In) { return nanos(l.wait.quantile(0.9)); }},
    {{"p95wait", Unit::duration, kLevels}, [](Inspected l, In) { return nanos(l.wait.quantile(0.95)); }},
    {{"p99wait", Unit::duration, kLevels}, [](Inspected l, In) { return nanos(l.wait.quantile(0.99)); }},
    {{"meanwait", Unit::duration, kLevels}, mean_wait},
    {{"drain", Unit::duration, kLevels}, drain_time},
};

[[noreturn]] void fail_unsaid(const ExpectedMetric& metric) {
  throw Error(fmt::format("the input says nothing of {} there{}", metric.name,
                          metric.unit == Unit::number ? "; rates need two scrapes (--metrics twice)"
                                                      : "; give a scrape with --metrics that has it"));
}

// Of requests that were answered, rather than of the moment; and not of how many there are.
bool is_about_answers(std::string_view metric) {
  for (const std::string_view name : {"rejected", "queue-full", "concurrency-limit", "time-out", "reject-rate",
                                      "p50wait", "p90wait", "p95wait", "p99wait", "meanwait"})
    if (metric == name) return true;
  return false;
}

// What percentages are of.
double decided_requests(Inspected level) {
  if (!level.dispatched || !level.rejected)
    throw Error(
        fmt::format("the input says nothing of the requests that {} {}; give a scrape with --metrics that has them",
                    printable(level.name), level.rejected ? "dispatched" : "refused"));
  return *level.dispatched + *level.rejected;
}

class InspectFacts : public Facts {
 public:
  explicit InspectFacts(const Inspection& inspection) : inspection_(inspection) {}

  std::vector<ExpectedMetric> metrics() const override {
    std::vector<ExpectedMetric> out;
    for (const InspectMetric& metric : kInspectMetrics) out.push_back(metric.name);
    return out;
  }

  std::vector<Fact> find(const ExpectedFigure& figure, bool percent) const override {
    const InspectMetric& metric = *std::find_if(std::begin(kInspectMetrics), std::end(kInspectMetrics),
                                                [&](const InspectMetric& m) { return m.name.name == figure.metric; });
    const bool is_total = figure.subject == kTotal;
    Interval sum;
    bool is_said = false, is_named = is_total;
    double all = 0;
    bool is_seen = !is_about_answers(figure.metric);
    for (const InspectedLevel& level : inspection_.levels) {
      if (!is_total && level.name != figure.subject) continue;
      is_named = true;
      const std::optional<Bounds> one = metric.read(level, inspection_);
      if (!one && is_total && level.exempt) continue;  // dumps say less of exempt levels
      if (!one) fail_unsaid(metric.name);
      if (percent) all += decided_requests(level);
      is_said = true;
      is_seen = is_seen || !level.dispatched || *level.dispatched + level.rejected.value_or(0) > 0;
      sum = {sum.low + one->low, sum.high + one->high};
    }
    if (is_total && inspection_.apf_on == false && figure.metric == "rejected" && !percent) {
      is_said = true;
      for (const auto& [kind, refused] : inspection_.dropped) {
        sum = {sum.low + refused, sum.high + refused};
        is_seen = is_seen || refused > 0;
      }
      for (const auto& [kind, requests] : inspection_.in_flight) is_seen = is_seen || requests > 0;
    }
    if (!is_named) fail_unnamed_level(figure.subject);
    if (!is_said) fail_unsaid(metric.name);
    if (percent) sum = all > 0 ? Interval{sum.low / all, sum.high / all} : Interval{};
    return {{"", {sum}, "", "", is_seen ? std::string() : why_unseen(figure.subject)}};
  }

 private:
  std::string why_unseen(const std::string& subject) const {
    const std::string where = subject == kTotal ? "the server" : "priority level " + subject;
    return fmt::format("{} answered no request{}; use --allow-empty to accept that", where,
                       inspection_.between ? " between the two scrapes" : "");
  }
  [[noreturn]] void fail_unnamed_level(std::string_view name) const {
    std::vector<std::string_view> names;
    for (const InspectedLevel& level : inspection_.levels) names.push_back(level.name);
    throw Error(no_such_subject("priority level", name, names));
  }

  const Inspection& inspection_;
};

}  // namespace

std::shared_ptr<const Facts> facts_of(const Inspection& inspection) {
  return std::make_shared<InspectFacts>(inspection);
}

}  // namespace apf
