// APF406: hands of as many queues as the level has seats.
#include <fmt/core.h>

#include "lint/given_levels.h"

namespace apf {

namespace {

void check_hand_exceeds_seats(const LintContext& context, Findings& findings) {
  const auto flows = count_flows(context.effective);
  for (const GivenLevel& given : given_limited_levels(context)) {
    const LevelLimits& limits = *given.limits;
    // With one seat or none this is the least of its problems.
    if (limits.nominal_cl <= 1 || limits.hand_size < limits.nominal_cl || limits.queues <= 1) continue;
    if (!has_several_flows(flows, given.level->meta.name)) continue;
    findings.add(
        *given.level, "spec.limited.limitResponse.queuing.handSize",
        fmt::format("with one request in each of its {} queues, one flow can occupy all {} seats of this level",
                    limits.hand_size, nominal_arithmetic(context, limits)));
  }
}

}  // namespace

extern const Rule rule_hand_exceeds_seats = {
    .code = "APF406",
    .name = "hand-exceeds-seats",
    .severity = Severity::warning,
    .group = RuleGroup::queues,
    .summary = "a flow has as many queues as the level has seats, or more",
    .what = R"(handSize is at least the level's nominal limit, and the FlowSchemas that use the level can make several
flows. Wide requests need no rule: the server limits the width of a level's requests so that handSize of the widest
fit into its nominal limit. But no request is narrower than 1 seat.)",
    .why = R"(Seats are shared fairly between queues, not between flows. A heavy flow that keeps all its queues busy
counts as that many. Here it can occupy every seat by itself, and a light flow has to wait each time until one request
ends.)",
    .example = R"(# with 600 seats: ceil(600 * 2 / 247) = 5
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: tenants
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 2
    limitResponse:
      type: Queue
      queuing: {queues: 64, handSize: 8, queueLengthLimit: 50}
)",
    .instead = R"(Give the level more shares, or choose a smaller handSize with more queues: 128 queues with hands of
4 separate flows better than 64 with hands of 6.)",
    .check = check_hand_exceeds_seats,
};

}  // namespace apf
