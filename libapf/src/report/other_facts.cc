// What headroom, a log and tests know of the figures that expectations name.
#include <algorithm>
#include <cmath>

#include <apf/error.h>
#include <apf/report.h>
#include <fmt/core.h>

#include "report/facts.h"
#include "report/log_summary_words.h"

namespace apf {

namespace {

// Multiples of the load. What is not found up to the largest one is above it, what is there at the least one may be
// below that.
class HeadroomFacts : public Facts {
 public:
  explicit HeadroomFacts(const HeadroomReport& report) : report_(report) {}

  std::vector<ExpectedMetric> metrics() const override {
    return {{"waitsAt", ExpectedUnit::multiple, MetricOf::sums}, {"refusesAt", ExpectedUnit::multiple, MetricOf::sums}};
  }

  // Of the total: where the first level begins to.
  std::vector<Fact> find(const ExpectedFigure& figure, bool) const override {
    const bool is_total = figure.subject == kTotal;
    bool is_named = is_total;
    double low = HUGE_VAL, high = HUGE_VAL;
    Fact out;
    for (const HeadroomLevel& level : report_.levels) {
      if (!is_total && level.name != figure.subject) continue;
      is_named = true;
      const HeadroomFigure& multiple = figure.metric == "waitsAt" ? level.waits_at : level.refuses_at;
      if (multiple.low.value_or(HUGE_VAL) < low) {
        low = *multiple.low;
        if (is_total) out.note = level.name;
      }
      high = std::min(high, multiple.high.value_or(HUGE_VAL));
    }
    if (!is_named) throw Error("no request of the log goes to a limited level " + figure.subject);
    if (report_.levels.empty())
      out.unseen = "no request of the log goes to a limited level; use --allow-empty to accept that";
    add(low, out);
    if (high != low) add(high, out);
    return {std::move(out)};
  }

 private:
  void add(double multiple, Fact& out) const {
    if (multiple <= report_.least) {
      out.versions.push_back({-HUGE_VAL, multiple});
      out.open = fmt::format("multiples are tried down to {:g}; widen them with --of", report_.least);
    } else if (multiple > report_.most) {
      out.versions.push_back({report_.most, HUGE_VAL});
      out.open = fmt::format("multiples are tried up to {:g}; widen them with --of", report_.most);
    } else {
      out.versions.push_back({multiple, multiple});
    }
  }

  const HeadroomReport& report_;
};

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
    const double known = count(figure.metric), least = known - (is_open ? kBelow : 0),
                 most = known + (is_open ? static_cast<double>(missing) : 0);
    const double all = static_cast<double>(of_answered ? total.answered : total.requests);
    const double part = !is_share ? 1 : all > 0 ? all : HUGE_VAL;
    Fact out{"", {{least / part, most / part}}, "", ""};
    if (is_open)
      out.open = fmt::format(
          "the log has no answer of {} of {} requests, which may have been refused; use --allow-empty to leave them "
          "out",
          grouped(missing), grouped(total.requests));
    return {out};
  }

 private:
  double count(std::string_view metric) const {
    if (metric == "requests") return static_cast<double>(summary_.total.requests);
    if (metric == "errors") return static_cast<double>(summary_.total.errors);
    if (metric == "clients") return static_cast<double>(summary_.clients.size());
    return static_cast<double>(summary_.total.refused);
  }

  static constexpr double kBelow = 1e-6;  // an interval is without its least value

  const LogSummary& summary_;
  const LogCoverage& known_;
  const bool allow_empty_;
};

class TestFacts : public Facts {
 public:
  explicit TestFacts(const TestsReport& report) : report_(report) {}

  std::vector<ExpectedMetric> metrics() const override { return {{"coverage", ExpectedUnit::part, MetricOf::whole}}; }

  std::vector<Fact> find(const ExpectedFigure&, bool) const override {
    if (!report_.coverage) throw Error("coverage was not counted");
    const TestCoverage& coverage = *report_.coverage;
    const double share = coverage.percent() / 100;
    if (coverage.items.empty()) return {{"", {}, "the configuration has nothing that a test could reach", ""}};
    return {{"", {{share, share}}, fmt::format("{} of {} parts", coverage.reached(), coverage.items.size()), ""}};
  }

 private:
  const TestsReport& report_;
};

}  // namespace

std::shared_ptr<const Facts> facts_of(const HeadroomReport& report) { return std::make_shared<HeadroomFacts>(report); }

std::shared_ptr<const Facts> facts_of(const LogSummary& summary, const LogCoverage& known, bool allow_empty) {
  return std::make_shared<LogFacts>(summary, known, allow_empty);
}

std::shared_ptr<const Facts> facts_of(const TestsReport& report) { return std::make_shared<TestFacts>(report); }

}  // namespace apf
