// What replays know of the figures that expectations name.
#include <algorithm>
#include <cmath>
#include <set>

#include <apf/error.h>
#include <apf/replays_report.h>
#include <fmt/core.h>

#include "base/text.h"
#include "report/core/facts.h"
#include "report/logs/coverage.h"
#include "report/logs/left_out.h"
#include "report/replay/figures.h"
#include "report/replay/replay_facts.h"

namespace apf {

namespace {

// Of the log and the whole report.
constexpr ExpectedMetric kAgreement = {"agreement", ExpectedUnit::part, MetricOf::whole};
constexpr ExpectedMetric kCoverage = {"coverage", ExpectedUnit::part, MetricOf::whole};

double tally_figure(const TallyFigure& figure, const RequestTally& tally, bool percent) {
  const double value = figure.value_of(tally);
  if (!percent) return value;
  return tally.requests > 0 ? value / static_cast<double>(tally.requests) : 0;
}

// Each unusable line of the log may have been a request of the subject, whatever became of it.
Interval with_unusable(const TallyFigure& figure, const RequestTally& tally, std::uint64_t lines, bool percent) {
  constexpr Nanos kLong = 3600 * kSecond;  // longer than a server lets any request wait
  const double known = tally_figure(figure, tally, percent);
  Interval out{known, known, true};
  for (const Nanos wait : {Nanos{0}, kLong}) {
    DurationDistribution waits = tally.wait;
    for (std::uint64_t i = 0; i < lines; ++i) waits.add(wait);
    for (const OutcomeRow& row : kOutcomeTable) {
      RequestTally one = tally;
      one.requests += lines;
      one.queued += wait > 0 ? lines : 0;
      one.outcomes[row.outcome] += lines;
      one.wait = waits;
      const double value = tally_figure(figure, one, percent);
      out.low = std::min(out.low, value);
      out.high = std::max(out.high, value);
    }
  }
  if (figure.unit == ExpectedUnit::seat_seconds) out.high = HUGE_VAL;
  return out;
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

const LevelReport& level_of(const ExpectedFigure& figure, const ReplayReport& report) {
  const auto level = std::find_if(report.levels.begin(), report.levels.end(),
                                  [&](const LevelReport& l) { return l.name == figure.subject; });
  if (level == report.levels.end()) fail_unnamed("priority level", figure.subject, report.levels);
  return *level;
}

RequestTally tally_of(const ExpectedFigure& figure, const ReplayReport& report) {
  if (figure.subject == kTotal) return report.total;
  if (figure.subject.starts_with(kSchemaPrefix))
    return schema_tally(report, figure.subject.substr(kSchemaPrefix.size()));
  return level_of(figure, report).tally;
}

double replay_figure(const ExpectedFigure& figure, const ReplayReport& report, bool percent) {
  if (const TallyFigure* of_requests = tally_figures().find(figure.metric))
    return tally_figure(*of_requests, tally_of(figure, report), percent);
  return level_figures().find(figure.metric)->value_of(level_of(figure, report));
}

// Limits and seats may be anything: they follow from when each request comes.
Interval replay_interval(const ExpectedFigure& figure, const ReplayReport& report, bool percent,
                         std::uint64_t unusable) {
  if (const TallyFigure* of_requests = tally_figures().find(figure.metric))
    return with_unusable(*of_requests, tally_of(figure, report), unusable, percent);
  return {0, HUGE_VAL, true};
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

}  // namespace

Fact replay_fact(const ExpectedFigure& figure, const ReplayReport& report, bool percent, std::string of) {
  Fact out;
  out.of = std::move(of);
  out.unseen = why_unseen(figure, report);
  const std::uint64_t unusable = unusable_lines(report.unusable);
  const auto add = [&](const ReplayReport& version) {
    const double value = replay_figure(figure, version, percent);
    out.versions.push_back({value, value});
    if (unusable > 0) out.with_unusable.push_back(replay_interval(figure, version, percent, unusable));
  };
  add(report);
  for (const ReplayReport& other : report.others) add(other);
  if (unusable > 0) out.unusable = why_unusable_decide(report.unusable, report.lines);
  return out;
}

namespace {

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

// Of what the stages that are on never count.
std::string why_off(std::string_view metric, const ReplayReport& report) {
  const auto is_on = [&](AdmissionStage stage) {
    return std::any_of(report.stages.begin(), report.stages.end(), [&](const auto& on) { return on.stage == stage; });
  };
  const auto row = std::find_if(refusals().begin(), refusals().end(), [&](const auto& r) { return r.name == metric; });
  const bool is_refusal = row != refusals().end();
  const AdmissionStage stage = is_refusal ? row->stage : AdmissionStage::apf;
  const bool is_by_conflicts = is_refusal && row->outcome == Outcome::quota_conflict;
  if (is_by_conflicts && !(report.resource_quota && report.resource_quota->conflicts))
    return "without --quota-conflicts of 'apfctl replay' no update of a quota fails";
  if (is_on(stage)) return {};
  if (stage == AdmissionStage::event_rate_limit)
    return "without --event-rate-limit of 'apfctl replay' nothing limits events";
  if (stage == AdmissionStage::resource_quota) return "without --quota of 'apfctl replay' no quota denies anything";
  if (stage == AdmissionStage::max_in_flight)
    return "the max-in-flight filter is off unless --apf=off of 'apfctl replay' is given";
  constexpr std::string_view kOfAll[] = {"requests", "executed", "rejected", "seat-seconds"};
  if (is_one_of(kOfAll, metric) || !(tally_figures().find(metric) || level_figures().find(metric))) return {};
  return "without API Priority and Fairness no request waits and no level has seats; give --apf=on";
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

  std::string why_always_0(const ExpectedFigure& figure) const override {
    if (is_of_exempt(figure)) return "exempt requests are never refused and never wait";
    std::string why;
    for (const ReplayReport& report : reports_) {
      if (!figure.server.empty() && figure.server != report.server) continue;
      why = report.requests > 0 || report.stages.empty() ? "" : why_off(figure.metric, report);
      if (why.empty()) break;
    }
    return why;
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
  // Of a level that is exempt, or of a FlowSchema that leads to none but these.
  bool is_of_exempt(const ExpectedFigure& figure) const {
    for (const std::string_view counts : {"requests", "executed", "seat-seconds"})
      if (figure.metric == counts) return false;
    if (!tally_figures().find(figure.metric) && figure.metric != "utilization") return false;
    std::set<std::string_view> levels;
    const bool is_schema = figure.subject.starts_with(kSchemaPrefix);
    bool exempt = false;
    for (const ReplayReport& report : reports_) {
      if (report.requests > 0) return false;
      if (!figure.server.empty() && figure.server != report.server) continue;
      for (const SchemaReport& schema : report.schemas)
        if (is_schema && kSchemaPrefix.size() + schema.name.size() == figure.subject.size() &&
            figure.subject.ends_with(schema.name))
          levels.insert(schema.priority_level);
      for (const LevelReport& level : report.levels) {
        if (is_schema ? !levels.contains(level.name) : level.name != figure.subject) continue;
        if (!level.exempt) return false;
        exempt = true;
      }
    }
    return exempt;
  }

  std::span<const ReplayReport> reports_;
  const ReplayReport* total_;
};

}  // namespace

std::shared_ptr<const Facts> facts_of(std::span<const ReplayReport> servers, const ReplayReport* total) {
  return std::make_shared<ReplayFacts>(servers, total);
}

}  // namespace apf
