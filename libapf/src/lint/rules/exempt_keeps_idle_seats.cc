// APF311: an exempt level with seats that it does not need and does not lend.
#include <fmt/format.h>

#include "base/releases.h"
#include "lint/given_levels.h"

namespace apf {

namespace {

void check(const LintContext& context, Findings& findings) {
  if (!has(context.options.version, Feature::exempt_level_has_seats)) return;
  for (const PriorityLevel& level : context.stored.priority_levels) {
    const LevelLimits* const limits = level.type == "Exempt" ? limits_of(context.limits, level.meta.name) : nullptr;
    if (!limits || !limits->exempt || limits->min_cl == 0) continue;
    findings.add(
        level, "spec.exempt.lendablePercent",
        fmt::format(
            "exempt requests run without waiting whatever the limit, yet {} - {} = {} of the {} are kept from the "
            "other levels even when there are none",
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
    .summary = "the exempt level keeps seats from the others",
    .what = "The level exempt has nominalConcurrencyShares and does not lend all the seats that come of them.",
    .why = R"(Exempt requests never wait: seats of their own do not help them. Their part is only a reserve, by which
the other levels get less so that all together stay near the server's limit. What is not lendable is kept back even
when no exempt request runs; what is lendable is kept back only as far as exempt requests use it.)",
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
    .check = check,
};

}  // namespace apf
