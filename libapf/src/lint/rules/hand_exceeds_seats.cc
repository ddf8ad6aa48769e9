// APF406: hands of as many queues as the level has seats.
#include <fmt/format.h>

#include "lint/given_levels.h"

namespace apf {

namespace {

void check(const LintContext& context, Findings& findings) {
  const auto flows = count_flows(context.effective);
  for (const GivenLevel& given : given_limited_levels(context)) {
    const LevelLimits& limits = *given.limits;
    // With one seat or none this is the least of its problems.
    if (limits.nominal_cl <= 1 || limits.hand_size < limits.nominal_cl || limits.queues <= 1) continue;
    if (!has_several_flows(flows, given.level->meta.name)) continue;
    findings.add(*given.level, "spec.limited.limitResponse.queuing.handSize",
                 fmt::format("one request in each of its {} queues lets one flow take all {} seats of this level",
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
    .what = R"(handSize is the level's nominal limit or more, and the FlowSchemas that lead to the level can make
several flows. Wide requests need no rule: the server limits the width of a level's requests so that handSize of the
widest fit into its nominal limit; but no request is narrower than 1 seat.)",
    .why = R"(Seats are shared fairly between queues, not between flows. A heavy flow that keeps all queues of its
hand busy counts as that many; here these alone can occupy every seat, and a flow that is light waits for one to end,
each time.)",
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
    .instead = R"(Give the level more shares, or choose a smaller handSize with more queues: 128 with hands of 4 keep
flows apart better than 64 with hands of 6.)",
    .check = check,
};

}  // namespace apf
