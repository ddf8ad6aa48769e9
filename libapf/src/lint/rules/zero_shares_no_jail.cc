// APF309: a level of 0 shares that is meant to refuse everything, and does not.
#include <fmt/core.h>

#include "lint/given_levels.h"

namespace apf {

namespace {

void check_zero_shares_no_jail(const LintContext& context, Findings& findings) {
  for (const GivenLevel& given : given_limited_levels(context)) {
    const LevelLimits& limits = *given.limits;
    if (!limits.reject || limits.nominal_cl > 0) continue;
    std::string message =
        fmt::format("this level has {} seats, but it still lets one request through whenever none is running",
                    nominal_arithmetic(context, limits));
    if (limits.max_cl > 0) message += fmt::format(", and may borrow up to {}", count_of(limits.max_cl, "seat"));
    Diagnostic& d = findings.add(*given.level, shares_field(*given.level), std::move(message));
    d.notes.push_back(
        {"flow control limits how many requests run at once; authorization is what refuses requests", {}});
  }
}

}  // namespace

extern const Rule rule_zero_shares_no_jail = {
    .code = "APF309",
    .name = "zero-shares-no-jail",
    .severity = Severity::warning,
    .group = RuleGroup::concurrency,
    .summary = "a level with 0 shares that rejects doesn't stop requests",
    .what = "A level has nominalConcurrencyShares 0 and limitResponse Reject.",
    .why = R"(A request that is wider than the level's limit may run while nothing else of the level runs, since
otherwise it could never run. With a limit of 0, that is every request. Short requests sent one after the other all
run, and so do those that an earlier FlowSchema matches. Without borrowingLimitPercent the level also borrows seats.)",
    .example = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: jail
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 0
    borrowingLimitPercent: 0
    limitResponse:
      type: Reject
)",
    .instead = R"(To stop a client, remove its permissions (RBAC) or its credentials. To slow it down to one request
at a time, keep the level and suppress this finding with a comment that says so.)",
    .check = check_zero_shares_no_jail,
};

}  // namespace apf
