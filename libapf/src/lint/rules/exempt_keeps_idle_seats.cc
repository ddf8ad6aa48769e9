// APF311: an exempt level with seats that it does not need and does not lend.
#include <fmt/core.h>

#include "base/releases.h"
#include "lint/given_levels.h"

namespace apf {

namespace {

void check_exempt_keeps_idle_seats(const LintContext& context, Findings& findings) {
  if (!has(context.options.version, Feature::exempt_level_has_seats)) return;
  for (const PriorityLevel& level : context.stored.priority_levels) {
    const LevelLimits* const limits = level.type == "Exempt" ? limits_of(context.limits, level.meta.name) : nullptr;
    if (!limits || !limits->exempt || limits->min_cl == 0) continue;
    findings.add(
        level, "spec.exempt.lendablePercent",
        fmt::format("exempt requests never wait, whatever the limit, but {} - {} = {} of the {} are kept from the "
                    "other levels even when there are no exempt requests",
                    limits->nominal_cl, limits->lendable_cl, limits->min_cl,
                    count_of(context.limits.server_concurrency_limit, "seat")));
  }
}

}  // namespace

extern const Rule rule_exempt_keeps_idle_seats = {
    .code = "APF311",
    .name = "exempt-keeps-idle-seats",
    .severity = Severity::info,
    .group = RuleGroup::concurrency,
    .summary = "the exempt level keeps seats from the other levels",
    .what = "The level exempt has nominalConcurrencyShares, but doesn't lend all the seats that they give.",
    .why = R"(Exempt requests never wait, so seats of their own don't help them. The shares are only a reserve: the
other levels get less, so that the total stays near the server's limit. Seats that aren't lendable are held back even
when no exempt request runs. Lendable ones are held back only while exempt requests use them.)",
    .example = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: exempt
spec:
  type: Exempt
  exempt:
    nominalConcurrencyShares: 20
)",
    .instead = R"(spec:
  type: Exempt
  exempt:
    nominalConcurrencyShares: 20
    lendablePercent: 100
)",
    .check = check_exempt_keeps_idle_seats,
};

}  // namespace apf
