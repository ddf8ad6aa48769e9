// APF403: hands that hold every queue.
#include <fmt/format.h>

#include "lint/given_levels.h"

namespace apf {

namespace {

void check(const LintContext& context, Findings& findings) {
  const auto flows = count_flows(context.effective);
  for (const GivenLevel& given : given_limited_levels(context)) {
    const LevelLimits& limits = *given.limits;
    if (limits.queues <= 1 || limits.hand_size != limits.queues) continue;
    if (!has_several_flows(flows, given.level->meta.name)) continue;
    findings.add(
        *given.level, "spec.limited.limitResponse.queuing.handSize",
        fmt::format("each flow has all {0} queues: one heavy flow can fill all {0} * {1} = {2} places, and nobody "
                    "has a queue without its requests",
                    limits.queues, limits.queue_length_limit, std::int64_t{limits.queues} * limits.queue_length_limit));
  }
}

}  // namespace

extern const Rule rule_hand_equals_queues = {
    .code = "APF403",
    .name = "hand-equals-queues",
    .severity = Severity::warning,
    .group = RuleGroup::queues,
    .summary = "each flow has all the queues",
    .what = R"(handSize equals queues (more than one), and the FlowSchemas that lead to the level can make several
flows.)",
    .why = R"(Queues exist to keep flows apart. When all flows have all queues nothing is kept apart: a heavy flow's
requests stand in every queue, each other flow waits behind them, and when they fill the queues everybody's requests
are refused.)",
    .example = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: tenants
spec:
  type: Limited
  limited:
    limitResponse:
      type: Queue
      queuing: {queues: 8, handSize: 8, queueLengthLimit: 50}
)",
    .instead = R"(      queuing: {queues: 64, handSize: 6, queueLengthLimit: 50}
)",
    .check = check,
};

}  // namespace apf
