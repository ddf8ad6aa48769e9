// APF402: hands of one queue.
#include <fmt/core.h>

#include "lint/given_levels.h"

namespace apf {

namespace {

void check_hand_size_one(const LintContext& context, Findings& findings) {
  const auto flows = count_flows(context.effective);
  for (const GivenLevel& given : given_limited_levels(context)) {
    const LevelLimits& limits = *given.limits;
    const auto of_level = flows.find(given.level->meta.name);
    // The hands of flows that are all named are no matter of odds: rule likely-collision deals them.
    if (limits.hand_size != 1 || limits.queues <= 1 || of_level == flows.end() || !of_level->second.unbounded) continue;
    if (1.0 / limits.queues <= context.options.collision_threshold || given.queues_as_built_in()) continue;
    findings.add(
        *given.level, "spec.limited.limitResponse.queuing.handSize",
        fmt::format("each flow has one of the {0} queues, and shares it with any other flow with odds of 1 in {0} "
                    "({1:.3g}%)",
                    limits.queues, 100.0 / limits.queues));
  }
}

}  // namespace

extern const Rule rule_hand_size_one = {
    .code = "APF402",
    .name = "hand-size-one",
    .severity = Severity::warning,
    .group = RuleGroup::queues,
    .summary = "each flow has only one queue",
    .what = R"(handSize is 1 and there are several queues, but so few that two flows share one with odds above the
threshold (1% by default: up to 99 queues). The FlowSchemas that use the level can make any number of flows; of flows
that they name, likely-collision says which share one.)",
    .why = R"(Two flows have either nothing in common or their only queue, always. In the second case the light one
waits behind every request of the heavy one. With several queues for each flow, the light one nearly always has one
that the heavy one doesn't use.)",
    .example = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: tenants
spec:
  type: Limited
  limited:
    limitResponse:
      type: Queue
      queuing: {queues: 16, handSize: 1, queueLengthLimit: 50}
)",
    .instead = R"(      queuing: {queues: 64, handSize: 6, queueLengthLimit: 50}
)",
    .check = check_hand_size_one,
};

}  // namespace apf
