// APF403: hands that hold every queue.
#include <fmt/core.h>

#include "lint/given_levels.h"

namespace apf {

namespace {

void check_hand_equals_queues(const LintContext& context, Findings& findings) {
  const auto flows = count_flows(context.effective);
  for (const GivenLevel& given : given_limited_levels(context)) {
    const LevelLimits& limits = *given.limits;
    if (limits.queues <= 1 || limits.hand_size != limits.queues) continue;
    if (!has_several_flows(flows, given.level->meta.name)) continue;
    findings.add(
        *given.level, "spec.limited.limitResponse.queuing.handSize",
        fmt::format("each flow uses all {0} queues: one heavy flow can fill all {0} * {1} = {2} places, and nobody "
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
    .summary = "each flow uses all the queues",
    .what = "handSize equals queues (more than one), and the FlowSchemas that use the level can make several flows.",
    .why = R"(Queues exist to separate flows. If all flows use all queues, nothing is separated: a heavy flow has
requests in every queue, every other flow waits behind them, and when the queues are full, everybody's requests are
rejected.)",
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
    .check = check_hand_equals_queues,
};

}  // namespace apf
