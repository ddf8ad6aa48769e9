// APF304: a level that neither borrows nor lends.
#include <fmt/core.h>

#include "base/releases.h"
#include "lint/given_levels.h"

namespace apf {

namespace {

void check_walled_off_level(const LintContext& context, Findings& findings) {
  if (!has(context.options.version, Feature::borrowing)) return;
  for (const GivenLevel& given : given_limited_levels(context)) {
    const LevelLimits& limits = *given.limits;
    if (limits.nominal_cl == 0 || limits.lendable_cl > 0 || given.level->limited->borrowing_limit_percent != 0)
      continue;
    findings.add(
        *given.level, "spec.limited.borrowingLimitPercent",
        fmt::format("this level always has {}: it borrows none when it needs more, and lends none when it is idle",
                    count_of(limits.nominal_cl, "seat")));
  }
}

}  // namespace

extern const Rule rule_walled_off_level = {
    .code = "APF304",
    .name = "walled-off-level",
    .severity = Severity::info,
    .group = RuleGroup::concurrency,
    .summary = "a level neither borrows nor lends",
    .what = "borrowingLimitPercent is 0, and the level lends no seats.",
    .why = R"(The level is a fixed part of the server, as all levels were before 1.26. Its requests wait or are
rejected while the rest of the server is idle, and nobody else can use its idle seats. That may be intended, as a hard
limit on somebody's requests; then only the idle seats are wasted.)",
    .example = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: tenants
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 10
    lendablePercent: 0
    borrowingLimitPercent: 0
    limitResponse:
      type: Reject
)",
    .instead = R"(For an upper limit, keep borrowingLimitPercent at 0 and let the level lend what it doesn't use
(lendablePercent 50, say). For a guarantee, keep lendablePercent at 0 and remove borrowingLimitPercent, so that the
level may borrow.)",
    .check = check_walled_off_level,
};

}  // namespace apf
