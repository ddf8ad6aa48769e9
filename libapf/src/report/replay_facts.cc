// What replays and comparisons know of the figures that expectations name.
#include <algorithm>
#include <cmath>

#include <apf/error.h>
#include <apf/report.h>
#include <fmt/core.h>

#include "report/facts.h"
#include "report/figures.h"

namespace apf {

namespace {

// Of the log and the whole report.
constexpr ExpectedMetric kAgreement = {"agreement", ExpectedUnit::part, MetricOf::whole};
constexpr ExpectedMetric kCoverage = {"coverage", ExpectedUnit::part, MetricOf::whole};
constexpr ExpectedMetric kWorsening = {"worsening", ExpectedUnit::share, MetricOf::whole};

double tally_figure(const TallyFigure& figure, const RequestTally& tally, bool percent) {
  const double value = figure.value_of(tally);
  if (!percent) return value;
  return tally.requests > 0 ? value / static_cast<double>(tally.requests) : 0;
}

template <class Reports>
[[noreturn]] void fail_unnamed(const char* kind, std::string_view name, const Reports& reports) {
  std::vector<std::string_view> names;
  for (const auto& report : reports) names.push_back(report.name);
  throw Error(no_such_subject(kind, name, names));
}

// A schema that changed its level in the run is there once for each.
RequestTally schema_tally(const ReplayReport& report, std::string_view name) {
  RequestTally sum;
  bool found = false;
  for (const SchemaReport& schema : report.schemas) {
    if (schema.name != name) continue;
    found = true;
    sum.requests += schema.tally.requests;
    sum.queued += schema.tally.queued;
    sum.outcomes += schema.tally.outcomes;
    sum.seat_seconds += schema.tally.seat_seconds;
    sum.wait.merge(schema.tally.wait);
  }
  if (!found) fail_unnamed("FlowSchema", name, report.schemas);
  return sum;
}

double replay_figure(const ExpectedFigure& figure, const ReplayReport& report, bool percent) {
  const TallyFigure* of_requests = tally_figures().find(figure.metric);
  if (figure.subject == kTotal) return tally_figure(*of_requests, report.total, percent);
  if (figure.subject.starts_with(kSchemaPrefix))
    return tally_figure(*of_requests, schema_tally(report, figure.subject.substr(kSchemaPrefix.size())), percent);
  const auto level = std::find_if(report.levels.begin(), report.levels.end(),
                                  [&](const LevelReport& l) { return l.name == figure.subject; });
  if (level == report.levels.end()) fail_unnamed("priority level", figure.subject, report.levels);
  return of_requests ? tally_figure(*of_requests, level->tally, percent)
                     : level_figures().find(figure.metric)->value_of(*level);
}

// Whether the figure is one of requests, rather than of how many there are or of a level's limit.
bool is_about_requests(std::string_view metric) {
  if (tally_figures().find(metric)) return metric != "requests";
  return metric == "seats" || metric == "seats-avg" || metric == "utilization";
}

std::string why_unseen(const ExpectedFigure& figure, const ReplayReport& report) {
  ExpectedFigure requests = figure;
  requests.metric = "requests";
  if (!is_about_requests(figure.metric) || replay_figure(requests, report, false) > 0) return {};
  std::string out = "no request ";
  if (figure.subject == kTotal) out += "is in the report (see --from, --to and the log)";
  else if (figure.subject.starts_with(kSchemaPrefix))
    out += "of the report is of FlowSchema " + figure.subject.substr(kSchemaPrefix.size());
  else out += "of the report goes to priority level " + figure.subject;
  return out + "; use --allow-empty to accept that";
}

Fact replay_fact(const ExpectedFigure& figure, const ReplayReport& report, bool percent, std::string of) {
  Fact out;
  out.of = std::move(of);
  out.unseen = why_unseen(figure, report);
  const auto add = [&](const ReplayReport& version) {
    const double value = replay_figure(figure, version, percent);
    out.versions.push_back({value, value});
  };
  add(report);
  for (const ReplayReport& other : report.others) add(other);
  return out;
}

Fact agreement_fact(const ReplayReport& report, std::string of) {
  Fact out;
  out.of = std::move(of);
  if (report.recorded.compared == 0) {
    out.note = "the log records nothing to compare the replay with";
    return out;
  }
  std::uint64_t least = report.recorded.agreed;
  const auto add = [&](const ReplayReport& version) {
    least = std::min(least, version.recorded.agreed);
    const double share = static_cast<double>(version.recorded.agreed) / static_cast<double>(report.recorded.compared);
    out.versions.push_back({share, share});
  };
  add(report);
  for (const ReplayReport& other : report.others) add(other);
  out.note = fmt::format("{}{} of {} requests", report.others.empty() ? "" : "at least ", grouped(least),
                         grouped(report.recorded.compared));
  return out;
}

class ReplayFacts : public Facts {
 public:
  ReplayFacts(std::span<const ReplayReport> reports, const ReplayReport* total) : reports_(reports), total_(total) {}

  std::vector<ExpectedMetric> metrics() const override {
    std::vector<ExpectedMetric> out;
    for (const TallyFigure* figure : tally_figures().expected())
      out.push_back({figure->key, figure->unit, MetricOf::all});
    for (const LevelFigure* figure : level_figures().expected())
      out.push_back({figure->key, figure->unit, MetricOf::levels});
    out.insert(out.end(), {kAgreement, kCoverage});
    return out;
  }

  std::vector<std::string_view> servers() const override {
    std::vector<std::string_view> out;
    for (const ReplayReport& report : reports_)
      if (!report.server.empty()) out.push_back(report.server);
    return out;
  }

  std::vector<Fact> find(const ExpectedFigure& figure, bool percent) const override {
    if (figure.metric == kCoverage.name) return {coverage_fact(reports_.front().coverage)};
    const bool is_agreement = figure.metric == kAgreement.name;
    std::vector<Fact> out;
    for (const ReplayReport& report : reports_) {
      if (!figure.server.empty() && figure.server != report.server) continue;
      const bool is_idle = !report.server.empty() && report.requests == 0;
      if (is_agreement && is_idle && figure.server.empty()) continue;  // else it is asked for by its name
      out.push_back(is_agreement ? agreement_fact(report, report.server)
                                 : replay_fact(figure, report, percent, report.server));
    }
    if (is_agreement && total_ && figure.server.empty()) out.push_back(agreement_fact(*total_, "all servers"));
    return out;
  }

 private:
  std::span<const ReplayReport> reports_;
  const ReplayReport* total_;
};

// --- comparisons ---

bool is_refusal(const ComparedChange& change) {
  return change.metric == ComparedChange::Metric::rejected || change.metric == ComparedChange::Metric::hung_up;
}

double refused_share(const ComparedFigure& figure) {
  return figure.requests == 0 ? 0 : figure.value / static_cast<double>(figure.requests);
}

// How much worse: refusals in percentage points, waits in percent; a wait where there was none is beyond any.
Fact worsening_fact(const ComparedChange& change, const std::string& side) {
  constexpr const char* kFigures[] = {"refused", "hung up", "mean wait", "p99 wait"};
  const auto text = [&](const ComparedFigure& figure) {
    return is_refusal(change) ? fmt::format("{:.2f} %", 100 * refused_share(figure))
                              : format_go_duration(static_cast<Nanos>(figure.value));
  };
  const double before = change.old_figure.value, after = change.new_figure.value;
  const double worse = is_refusal(change) ? refused_share(change.new_figure) - refused_share(change.old_figure)
                       : before <= 0      ? HUGE_VAL
                                          : (after - before) / before;
  const std::string name = change.name.empty()                          ? "all requests"
                           : change.what == ComparedChange::What::level ? "level " + change.name
                                                                        : "FlowSchema " + change.name;
  return {side + (side.empty() ? "" : ": ") + name + ", " + kFigures[static_cast<std::size_t>(change.metric)],
          {{worse, worse}},
          text(change.old_figure) + " → " + text(change.new_figure),
          ""};
}

// The metrics that it is of, if replays with jitter say how far they are chance.
std::vector<ComparedChange::Metric> compared_metrics(std::string_view metric) {
  using enum ComparedChange::Metric;
  if (metric == "rejected") return {rejected, hung_up};
  if (metric == "meanwait") return {mean_wait};
  return metric == "p99wait" ? std::vector{p99_wait} : std::vector<ComparedChange::Metric>();
}

class CompareFacts : public Facts {
 public:
  CompareFacts(const CompareReport& comparison, const std::vector<std::string>& names)
      : comparison_(comparison), names_(names), old_({&comparison.old_report, 1}, nullptr) {}

  std::vector<ExpectedMetric> metrics() const override {
    std::vector<ExpectedMetric> out = old_.metrics();
    out.push_back(kWorsening);
    return out;
  }

  std::vector<std::string_view> sides() const override { return {"old", "new"}; }

  std::vector<Fact> find(const ExpectedFigure& figure, bool percent) const override {
    if (figure.metric == kWorsening.name) return worsenings();
    if (figure.side != "new") return old_.find(figure, percent);
    std::vector<Fact> out;
    for (std::size_t i = 0; i < comparison_.new_reports.size(); ++i)
      out.push_back(replay_fact(figure, comparison_.new_reports[i], percent, name_of(i)));
    return out;
  }

  bool may_be_chance(const ExpectedFigure& a, const ExpectedFigure& b, std::size_t side) const override {
    if (a.side == b.side || a.subject != b.subject || a.metric != b.metric) return false;
    const std::vector<ComparedChange::Metric> metrics = compared_metrics(a.metric);
    const bool is_schema = a.subject.starts_with(kSchemaPrefix);
    const std::string name = is_schema ? a.subject.substr(kSchemaPrefix.size()) : a.subject == kTotal ? "" : a.subject;
    const auto what = is_schema ? ComparedChange::What::flow_schema : ComparedChange::What::level;
    bool is_compared = false, is_beyond = false;
    for (const ComparedChange& change : comparison_.changes) {
      if (change.new_side != side || change.what != what || change.name != name) continue;
      if (std::find(metrics.begin(), metrics.end(), change.metric) == metrics.end()) continue;
      is_compared = true;
      is_beyond = is_beyond || change.beyond_chance;
    }
    return is_compared && !is_beyond;
  }

 private:
  std::string name_of(std::size_t side) const { return names_.size() > 1 ? names_[side] : std::string(); }

  // Of levels and FlowSchemas that get worse beyond chance.
  std::vector<Fact> worsenings() const {
    std::vector<Fact> out;
    for (std::size_t side = 0; side < comparison_.new_reports.size(); ++side) {
      const std::size_t before = out.size();
      for (const ComparedChange& change : comparison_.changes) {
        using enum ComparedChange::What;
        if (change.new_side == side && change.verdict == ComparedChange::Verdict::worse &&
            (change.what == level || change.what == flow_schema))
          out.push_back(worsening_fact(change, name_of(side)));
      }
      if (out.size() == before) out.push_back({name_of(side), {{0, 0}}, "no level or FlowSchema gets worse", ""});
    }
    return out;
  }

  const CompareReport& comparison_;
  const std::vector<std::string>& names_;
  ReplayFacts old_;
};

}  // namespace

Fact coverage_fact(const LogCoverage& known) {
  if (!known.metrics) throw Error("coverage needs --server-metrics BEFORE,AFTER");
  const CoverageReport& coverage = *known.metrics;
  if (coverage.dispatched() == 0) return {"", {}, "the server dispatched no requests in the time of its counters", ""};
  const double share = coverage.percent() / 100;
  return {"",
          {{share, share}},
          fmt::format("{} of {} requests that the server dispatched are in the log",
                      grouped(coverage.dispatched() - coverage.missing()), grouped(coverage.dispatched())),
          ""};
}

std::shared_ptr<const Facts> facts_of(std::span<const ReplayReport> servers, const ReplayReport* total) {
  return std::make_shared<ReplayFacts>(servers, total);
}

std::shared_ptr<const Facts> facts_of(const CompareReport& comparison, const std::vector<std::string>& new_names) {
  return std::make_shared<CompareFacts>(comparison, new_names);
}

}  // namespace apf
