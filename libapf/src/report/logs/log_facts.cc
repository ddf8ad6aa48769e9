// What a log knows of the figures that expectations name.
#include <apf/error.h>
#include <apf/logs_report.h>
#include <fmt/core.h>

#include "report/core/facts.h"
#include "report/logs/coverage.h"
#include "report/logs/left_out.h"
#include "report/logs/log_summary_words.h"

namespace apf {

namespace {

class LogFacts : public Facts {
 public:
  LogFacts(const LogSummary& summary, const LogCoverage& known, bool allow_empty)
      : summary_(summary), known_(known), allow_empty_(allow_empty) {}

  std::vector<ExpectedMetric> metrics() const override {
    return {
        {"requests", ExpectedUnit::requests, MetricOf::whole},  {"refused", ExpectedUnit::requests, MetricOf::whole},
        {"refused-share", ExpectedUnit::part, MetricOf::whole}, {"errors", ExpectedUnit::requests, MetricOf::whole},
        {"clients", ExpectedUnit::number, MetricOf::whole},     {"coverage", ExpectedUnit::part, MetricOf::whole}};
  }

  std::vector<Fact> find(const ExpectedFigure& figure, bool percent) const override {
    if (figure.metric == "coverage") return {coverage_fact(known_)};
    const bool is_share = percent || figure.metric == "refused-share";
    const LogTally& total = summary_.total;
    const std::uint64_t missing = total.requests - total.answered;
    const bool of_answers = figure.metric == "refused" || figure.metric == "refused-share" || figure.metric == "errors";
    const bool is_open = of_answers && missing > 0 && !allow_empty_;
    const bool of_answered = allow_empty_ && figure.metric != "requests" && lacks_answers(total);
    const double known = count(figure.metric), most = known + (is_open ? static_cast<double>(missing) : 0);
    const double all = static_cast<double>(of_answered ? total.answered : total.requests);
    const auto part_of = [&](double of, double whole) { return !is_share ? of : whole > 0 ? of / whole : 0; };
    Fact out{"", {{part_of(known, all), part_of(most, all), true}}, "", ""};
    if (is_open)
      out.open = fmt::format(
          "the log has no answer of {} of {} requests, which may have been refused; use --allow-empty to leave them "
          "out",
          grouped(missing), grouped(total.requests));
    if (const auto unusable = static_cast<double>(unusable_lines(summary_.stat.unusable)); unusable > 0) {
      out.with_unusable = {{part_of(known, all + unusable),
                            part_of(most + unusable, figure.metric == "clients" ? all : all + unusable), true}};
      out.unusable = why_unusable_decide(summary_.stat.unusable, summary_.stat.lines);
    }
    return {out};
  }

 private:
  double count(std::string_view metric) const {
    if (metric == "requests") return static_cast<double>(summary_.total.requests);
    if (metric == "errors") return static_cast<double>(summary_.total.errors);
    if (metric == "clients") return static_cast<double>(summary_.clients.size());
    return static_cast<double>(summary_.total.refused);
  }

  const LogSummary& summary_;
  const LogCoverage& known_;
  const bool allow_empty_;
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

std::shared_ptr<const Facts> facts_of(const LogSummary& summary, const LogCoverage& known, bool allow_empty) {
  return std::make_shared<LogFacts>(summary, known, allow_empty);
}

}  // namespace apf
