// APF308: a level that is meant to borrow where no level lends.
#include <fmt/format.h>

#include "lint/given_levels.h"

namespace apf {

namespace {

void check(const LintContext& context, Findings& findings) {
  if (!context.options.version.borrows()) return;
  std::int64_t lendable = 0;  // exempt levels' nominal seats are given to the others as well, whatever they lend
  for (const LevelLimits& limits : context.limits.levels) lendable += limits.exempt ? limits.nominal_cl : limits.lendable_cl;
  for (const GivenLevel& given : given_limited_levels(context)) {
    const LevelLimits& limits = *given.limits;
    const std::int32_t percent = given.level->limited->borrowing_limit_percent.value_or(0);
    if (percent <= 0 || limits.borrowing_cl == 0 || lendable > limits.lendable_cl) continue;
    findings.add(*given.level, "spec.limited.borrowingLimitPercent",
                 fmt::format("this level may borrow round({} * {} / 100) = {}, but all other levels together lend 0",
                             limits.nominal_cl, percent, count_of(limits.borrowing_cl, "seat")));
  }
}

}  // namespace

extern const Rule rule_nobody_lends = {
    {"APF308", "nobody-lends", Severity::info, "a level may borrow, and no other level lends",
     "borrowingLimitPercent is above 0, and the lendable seats of all other levels, those of the server's own included, sum "
     "to 0.",
     "Only lendable seats can be borrowed. The default of lendablePercent is 0: where the built-in levels are replaced by "
     "objects without that field (written for a release before 1.26, say), every level keeps its seats however idle it is, "
     "and the borrowing limit does nothing.",
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
     "Give lendablePercent to the levels that are idle at times. `apfctl bootstrap` shows what the server's own levels lend."},
    check};

}  // namespace apf
