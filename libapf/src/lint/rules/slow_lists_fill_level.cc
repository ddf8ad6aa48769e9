// APF408: one flow's widest lists, one in each of its queues, leave no seat to others.
#include <algorithm>

#include <fmt/core.h>

#include "lint/given_levels.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

constexpr int kWaitLimitSeconds = 15;  // a quarter of the default --request-timeout, which bounds how long a list runs

// Only lists are wide from the start.
bool holds_list(const FlowSchema& schema) {
  return std::any_of(schema.rules.begin(), schema.rules.end(), [](const PolicyRule& rule) {
    return std::any_of(rule.resource_rules.begin(), rule.resource_rules.end(),
                       [](const ResourceRule& part) { return is_any(part.verbs) || holds(part.verbs, "list"); });
  });
}

void check_slow_lists_fill_level(const LintContext& context, Findings& findings) {
  const auto flows = count_flows(context.effective);
  for (const GivenLevel& given : given_limited_levels(context)) {
    const LevelLimits& limits = *given.limits;
    // Of width 1 rule hand-exceeds-seats speaks. A level that may borrow more can get a seat for the others.
    if (limits.max_seats < 2 || limits.queues <= 1 || given.queues_as_built_in()) continue;
    if (limits.hand_size * limits.max_seats < limits.max_cl) continue;
    const std::string& name = given.level->meta.name;
    if (!has_several_flows(flows, name)) continue;
    const auto& schemas = context.effective.flow_schemas;
    const bool lists = std::any_of(schemas.begin(), schemas.end(), [&](const FlowSchema& schema) {
      return schema.priority_level == name && holds_list(schema);
    });
    if (!lists) continue;
    findings.add(
        *given.level, "spec.limited.limitResponse.queuing.handSize",
        fmt::format(
            "{} lists of {} seats, one in each queue of a hand, are all {} seats of this level: while one flow's "
            "lists are slow, the others wait and time out after {} s",
            limits.hand_size, limits.max_seats, nominal_arithmetic(context, limits), kWaitLimitSeconds));
  }
}

}  // namespace

extern const Rule rule_slow_lists_fill_level = {
    .code = "APF408",
    .name = "slow-lists-fill-level",
    .severity = Severity::warning,
    .group = RuleGroup::queues,
    .summary = "the widest lists of one flow take all seats of a level",
    .what = R"(One list of the greatest width in each queue of a hand takes all nominal seats of the level: handSize
times the width that the server allows there (the lesser of 15 % of the seats, rounded up, and seats / handSize), and
the level may borrow none. The FlowSchemas of the level match lists, and can make several flows.)",
    .why = R"(A running request is never interrupted. A list of many objects, or one whose client reads slowly, holds
its seats for up to a minute, and a waiting request gives up after 15 s. Fair queuing picks who is next only when a
seat becomes free, so a few slow readers of one flow can let all others time out.)",
    .example = R"(# with 600 seats: ceil(600 * 10 / 255) = 24, width 4, 6 * 4 = 24
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: tenants
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 10
    borrowingLimitPercent: 0
    limitResponse:
      type: Queue
      queuing: {queues: 64, handSize: 6, queueLengthLimit: 50}
)",
    .instead =
        R"(Choose a smaller handSize (with 5 of 24 seats, 4 are left to others), give the level more shares, or let it borrow.)",
    .check = check_slow_lists_fill_level,
};

}  // namespace apf
