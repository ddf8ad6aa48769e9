// What comparisons know of the figures that expectations name.
#include <algorithm>
#include <cmath>

#include <apf/advice_report.h>
#include <apf/replays_report.h>
#include <fmt/core.h>

#include "report/core/units.h"
#include "report/replay/replay_facts.h"

namespace apf {

namespace {

constexpr ExpectedMetric kWorsening = {"worsening", ExpectedUnit::share, MetricOf::whole},
                         kNewRefusals = {"newRefusals", ExpectedUnit::requests, MetricOf::whole};

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
    return is_refusal(change) ? one_decimal(100 * refused_share(figure)) + " %"
                              : human_duration(whole_nanos(figure.value));
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
          "",
          {},
          {},
          {},
          is_refusal(change)  ? one_decimal(100 * worse) + " percentage points"
          : std::isinf(worse) ? "a wait where there was none"
          : worse < 1         ? one_decimal(100 * worse) + " % longer"
                              : one_decimal(1 + worse) + " times as long"};
}

// How many more requests of flows are refused whose refusals rise beyond chance, and of whom.
Fact new_refusals_fact(const CompareReport& comparison, std::size_t side, const std::string& name, bool percent) {
  const double requests = std::max(1.0, static_cast<double>(comparison.new_reports[side].total.requests));
  const auto more_of = [](const ComparedChange& change) {
    return refused_share(change.new_figure) * static_cast<double>(change.new_figure.requests) -
           refused_share(change.old_figure) * static_cast<double>(change.old_figure.requests);
  };
  double sum = 0;
  std::size_t flows = 0;
  const ComparedChange* most = nullptr;
  // Levels where no flow stands out: each of many may be within chance.
  for (const auto what : {ComparedChange::What::flow, ComparedChange::What::level})
    for (const ComparedChange& change : comparison.changes)
      if (flows == 0 || what == ComparedChange::What::flow)
        if (change.new_side == side && change.what == what && !change.name.empty() && is_refusal(change) &&
            change.verdict == ComparedChange::Verdict::worse && change.beyond_chance && more_of(change) > 0) {
          sum += more_of(change);
          flows += what == ComparedChange::What::flow;
          if (!most || more_of(change) > more_of(*most)) most = &change;
        }
  Fact out{
      name, {{sum / (percent ? requests : 1), sum / (percent ? requests : 1)}}, "nobody is refused more often", ""};
  if (most)
    out.note = fmt::format("{}{}", flows == 0 ? "level " : "", most->name) +
               (flows > 1 ? fmt::format(" and {}", counted(flows - 1, "other flow", "other flows")) : "");
  return out;
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
      : comparison_(comparison), names_(names), old_(facts_of(std::span(&comparison.old_report, 1))) {}

  std::vector<ExpectedMetric> metrics() const override {
    std::vector<ExpectedMetric> out = old_->metrics();
    out.push_back(kWorsening);
    out.push_back(kNewRefusals);
    return out;
  }

  std::vector<std::string_view> sides() const override { return {"old", "new"}; }

  std::vector<Fact> find(const ExpectedFigure& figure, bool percent) const override {
    if (figure.metric == kWorsening.name) return worsenings();
    if (figure.metric == kNewRefusals.name) {
      std::vector<Fact> out;
      for (std::size_t i = 0; i < comparison_.new_reports.size(); ++i)
        out.push_back(new_refusals_fact(comparison_, i, name_of(i), percent));
      return out;
    }
    if (figure.side != "new") return old_->find(figure, percent);
    std::vector<Fact> out;
    for (std::size_t i = 0; i < comparison_.new_reports.size(); ++i)
      out.push_back(replay_fact(figure, comparison_.new_reports[i], percent, name_of(i)));
    return out;
  }

  std::string why_always_0(const ExpectedFigure& figure) const override {
    if (figure.side != "new") return old_->why_always_0(figure);
    std::string why;
    for (const ReplayReport& report : comparison_.new_reports) {
      why = facts_of(std::span(&report, 1))->why_always_0(figure);
      if (why.empty()) break;
    }
    return why;
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
  std::shared_ptr<const Facts> old_;
};

}  // namespace

std::shared_ptr<const Facts> facts_of(const CompareReport& comparison, const std::vector<std::string>& new_names) {
  return std::make_shared<CompareFacts>(comparison, new_names);
}

}  // namespace apf
