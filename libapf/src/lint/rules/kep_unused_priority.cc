// APF831: a priority that no FlowSchema leads to.
#include <unordered_set>

#include "lint/kep/tests.h"

namespace apf {

namespace {

void check_kep_unused_priority(const LintContext& context, Findings& findings) {
  std::unordered_set<std::string_view> used;
  for (const FlowSchema& schema : context.effective.flow_schemas) used.insert(schema.priority_level);
  for (const PriorityLevel& level : context.stored.priority_levels) {
    if (used.contains(level.meta.name)) continue;
    findings.add(level, "meta.name",
                 level.limited ? "no FlowSchema uses this priority; its shares still reduce the seats of the others"
                               : "no FlowSchema uses this priority");
  }
}

}  // namespace

extern const Rule rule_kep_unused_priority = {
    .code = "APF831",
    .name = "kep-unused-priority",
    .severity = Severity::warning,
    .group = RuleGroup::kep,
    .dialect = RuleDialect::kep,
    .summary = "no FlowSchema uses a priority",
    .what = "No FlowSchema, given, created or a backstop, names this RequestPriority.",
    .why = R"(The shares of an idle priority still count: every other one gets fewer seats. Often a FlowSchema is
missing, or names another priority.)",
    .example = R"(kind: RequestPriority
meta: {name: batch}
spec: {assuredConcurrencyShares: 30, queues: 1, queueLengthLimit: 100}
)",
    .instead = "Add a FlowSchema that uses it to the same run of apfctl, or delete the priority.",
    .check = check_kep_unused_priority,
};

}  // namespace apf
