// What headroom knows of the figures that expectations name.
#include <algorithm>
#include <cmath>

#include <apf/advice_report.h>
#include <apf/error.h>
#include <fmt/core.h>

#include "report/core/facts.h"

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

}  // namespace

std::shared_ptr<const Facts> facts_of(const HeadroomReport& report) { return std::make_shared<HeadroomFacts>(report); }

}  // namespace apf
