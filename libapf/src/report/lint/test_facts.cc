// What tests know of the figures that expectations name.
#include <apf/error.h>
#include <apf/findings_report.h>
#include <fmt/core.h>

#include "report/core/facts.h"

namespace apf {

namespace {

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

std::shared_ptr<const Facts> facts_of(const TestsReport& report) { return std::make_shared<TestFacts>(report); }

}  // namespace apf
