// APF307: a FlowSchema of one's own that leads to catch-all.
#include <fmt/core.h>

#include "lint/given_levels.h"

namespace apf {

namespace {

void check_working_catch_all(const LintContext& context, Findings& findings) {
  const LevelLimits* const limits = limits_of(context.limits, "catch-all");
  if (!limits) return;
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    if (schema.priority_level != "catch-all" || schema.meta.name == "catch-all") continue;
    findings.add(
        schema, "spec.priorityLevelConfiguration.name",
        fmt::format(
            "catch-all has {} seats of its own and no queues, which can't be changed: what finds no free seat is "
            "rejected at once",
            nominal_arithmetic(context, *limits)));
  }
}

}  // namespace

extern const Rule rule_working_catch_all = {
    .code = "APF307",
    .name = "working-catch-all",
    .severity = Severity::info,
    .group = RuleGroup::concurrency,
    .summary = "a FlowSchema uses catch-all as a normal level",
    .what = "A FlowSchema other than catch-all names the priority level catch-all.",
    .why = R"(catch-all is for requests that no FlowSchema matches, and its parameters are fixed: 5 shares, no queues.
It rejects what doesn't fit with 429. These requests are mixed with the unmatched ones, whose number then means
nothing. If these requests should come last, this does what you want.)",
    .example = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: scripts
spec:
  matchingPrecedence: 1000
  priorityLevelConfiguration:
    name: catch-all
  rules:
  - subjects:
    - kind: Group
      group: {name: scripts}
    resourceRules:
    - verbs: ["*"]
      apiGroups: ["*"]
      resources: ["*"]
      namespaces: ["*"]
)",
    .instead = R"(Use global-default, workload-low, or a level of its own: limitResponse Reject and few shares behave
the same, with numbers that you can choose.)",
    .check = check_working_catch_all,
};

}  // namespace apf
