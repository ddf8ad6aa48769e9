// APF102: a level that no FlowSchema leads to.
#include <unordered_set>

#include "lint/rule.h"

namespace apf {

namespace {

void check(const LintContext& context, Findings& findings) {
  std::unordered_set<std::string_view> used;
  for (const FlowSchema& schema : context.effective.flow_schemas) used.insert(schema.priority_level);
  for (const PriorityLevel& level : context.stored.priority_levels) {
    // The mandatory levels are there whether anything leads to them or not.
    if (level.meta.name == "exempt" || level.meta.name == "catch-all" || used.contains(level.meta.name)) continue;
    findings.add(level, "metadata.name",
                 "no FlowSchema, given or built in, leads to this level; it takes seats from the others all the same");
  }
}

}  // namespace

extern const Rule rule_unused_level = {
    .code = "APF102",
    .name = "unused-level",
    .severity = Severity::warning,
    .group = RuleGroup::dangling,
    .summary = "no FlowSchema leads to a priority level",
    .what = "No FlowSchema, given or built in, has this PriorityLevelConfiguration as its priority level.",
    .why = R"(An idle level still counts in the sum of shares: every other level gets fewer seats of its own, and only
the lendable part can be borrowed back. Often a FlowSchema is missing or names another level.)",
    .example = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: batch
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 30
    limitResponse:
      type: Reject
)",
    .instead = "Give a FlowSchema that leads there, in the same run of apfctl, or delete the level.",
    .check = check,
};

}  // namespace apf
