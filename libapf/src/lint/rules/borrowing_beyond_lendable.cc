// APF308: a level that is meant to borrow more than all others lend.
#include <fmt/core.h>

#include "base/releases.h"
#include "lint/given_levels.h"

namespace apf {

namespace {

void check_borrowing_beyond_lendable(const LintContext& context, Findings& findings) {
  if (!has(context.options.version, Feature::borrowing)) return;
  std::int64_t lendable = 0;  // exempt levels' nominal seats are given to the others as well, with any lendablePercent
  for (const LevelLimits& limits : context.limits.levels)
    lendable += limits.exempt ? limits.nominal_cl : limits.lendable_cl;
  for (const GivenLevel& given : given_limited_levels(context)) {
    const LevelLimits& limits = *given.limits;
    const std::int32_t percent = given.level->limited->borrowing_limit_percent.value_or(0);
    const std::int64_t of_others = lendable - limits.lendable_cl;
    if (percent <= 0 || limits.borrowing_cl <= of_others) continue;
    findings.add(
        *given.level, "spec.limited.borrowingLimitPercent",
        fmt::format("this level may borrow round({} * {} / 100) = {}, but all other levels together lend {}: {}",
                    limits.nominal_cl, percent, count_of(limits.borrowing_cl, "seat"), of_others,
                    of_others == 0 ? "it can never borrow any" : "the limit has no effect"));
  }
}

}  // namespace

extern const Rule rule_borrowing_beyond_lendable = {
    .code = "APF308",
    .name = "borrowing-beyond-lendable",
    .severity = Severity::info,
    .group = RuleGroup::concurrency,
    .summary = "a level may borrow more seats than all others lend",
    .what = R"(borrowingLimitPercent is above 0 and allows more seats than all other levels lend together, including
the server's own.)",
    .why = R"(Only lendable seats can be borrowed. A limit above their sum is no limit. If the built-in levels are
replaced by objects without lendablePercent (written for a release before 1.26, say), where the default is 0, every
level keeps its idle seats and nothing can be borrowed at all.)",
    .example =
        R"(# and system, node-high, workload-high, workload-low and global-default are given without lendablePercent
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: bursts
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 10
    borrowingLimitPercent: 200
    limitResponse:
      type: Reject
)",
    .instead = R"(Choose a smaller limit, or remove it. Set lendablePercent for the levels that are sometimes idle.
`apfctl limits -f FILE` shows what each level lends and may borrow.)",
    .check = check_borrowing_beyond_lendable,
};

}  // namespace apf
