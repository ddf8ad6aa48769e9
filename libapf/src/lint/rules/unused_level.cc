// APF102: a level that no FlowSchema leads to.
#include <unordered_set>

#include "lint/rule.h"

namespace apf {

namespace {

void check_unused_level(const LintContext& context, Findings& findings) {
  if (context.broken.has_unread_schema) return;  // it may be the one
  std::unordered_set<std::string_view> used;
  for (const FlowSchema& schema : context.effective.flow_schemas) used.insert(schema.priority_level);
  for (const PriorityLevel& level : context.stored.priority_levels) {
    // The mandatory levels are there whether anything leads to them or not.
    if (level.meta.name == "exempt" || level.meta.name == "catch-all" || used.contains(level.meta.name)) continue;
    findings.add(level, "metadata.name",
                 "no FlowSchema, given or built in, uses this level; its shares still reduce the seats of the others");
  }
}

}  // namespace

extern const Rule rule_unused_level = {
    .code = "APF102",
    .name = "unused-level",
    .severity = Severity::warning,
    .group = RuleGroup::dangling,
    .summary = "no FlowSchema uses a priority level",
    .what =
        "No FlowSchema, given or built in, names this PriorityLevelConfiguration. Nothing is reported while a given "
        "FlowSchema "
        "can't be read.",
    .why = R"(The shares of an idle level still count: every other level gets fewer seats of its own, and can borrow
back only the lendable part. Often a FlowSchema is missing, or names another level.)",
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
    .instead = "Add a FlowSchema that uses the level to the same run of apfctl, or delete the level.",
    .check = check_unused_level,
};

}  // namespace apf
