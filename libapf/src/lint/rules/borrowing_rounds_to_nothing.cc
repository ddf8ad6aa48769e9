// APF305: a borrowing limit that is less than half a seat.
#include <fmt/core.h>

#include "base/releases.h"
#include "lint/given_levels.h"

namespace apf {

namespace {

void check_borrowing_rounds_to_nothing(const LintContext& context, Findings& findings) {
  if (!has(context.options.version, Feature::borrowing)) return;
  for (const GivenLevel& given : given_limited_levels(context)) {
    const LevelLimits& limits = *given.limits;
    const std::int32_t percent = given.level->limited->borrowing_limit_percent.value_or(0);
    if (percent <= 0 || limits.nominal_cl == 0 || limits.borrowing_cl > 0) continue;
    findings.add(
        *given.level, "spec.limited.borrowingLimitPercent",
        fmt::format("this level may borrow round({} * {} / 100) = 0 seats: the limit is a percentage of its own {}",
                    limits.nominal_cl, percent, count_of(limits.nominal_cl, "seat")));
  }
}

}  // namespace

extern const Rule rule_borrowing_rounds_to_nothing = {
    .code = "APF305",
    .name = "borrowing-rounds-to-nothing",
    .severity = Severity::warning,
    .group = RuleGroup::concurrency,
    .summary = "a borrowing limit above 0 allows no seats",
    .what = "round(nominal limit * borrowingLimitPercent / 100) is 0, although borrowingLimitPercent isn't.",
    .why = R"(The limit is a percentage of the level's own nominal limit, not of the server's seats or of what others
lend. A small level with a small percentage can't borrow anything, although it was meant to.)",
    .example = R"(# with 600 seats: ceil(600 * 1 / 246) = 3 seats, and round(3 * 10 / 100) = 0
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: reports
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 1
    borrowingLimitPercent: 10
    limitResponse:
      type: Reject
)",
    .instead = R"(spec:
  limited:
    nominalConcurrencyShares: 1
    borrowingLimitPercent: 500   # 15 seats more than its own 3; percentages above 100 are fine
)",
    .check = check_borrowing_rounds_to_nothing,
};

}  // namespace apf
