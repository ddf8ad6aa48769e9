// APF307: a FlowSchema of one's own that leads to catch-all.
#include <fmt/format.h>

#include "lint/given_levels.h"

namespace apf {

namespace {

void check(const LintContext& context, Findings& findings) {
  const LevelLimits* const limits = limits_of(context.limits, "catch-all");
  if (!limits) return;
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    if (schema.priority_level != "catch-all" || schema.meta.name == "catch-all") continue;
    findings.add(
        schema, "spec.priorityLevelConfiguration.name",
        fmt::format(
            "catch-all has {} seats of its own and no queues, which cannot be changed: what finds no seat free is "
            "refused at once",
            nominal_arithmetic(context, *limits)));
  }
}

}  // namespace

extern const Rule rule_working_catch_all = {
    .code = "APF307",
    .name = "working-catch-all",
    .severity = Severity::info,
    .group = RuleGroup::concurrency,
    .summary = "a FlowSchema uses catch-all as a working level",
    .what = "A FlowSchema other than catch-all names the priority level catch-all.",
    .why = R"(catch-all is there for what no FlowSchema matches, and its parameters are fixed: 5 shares, no queues.
Whatever does not fit is refused with 429, and it is mixed with the requests that nobody thought of, whose number then
says nothing any more. Where the point is to let these requests come last, that is what it does.)",
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
    .instead = R"(Lead it to global-default or workload-low, or to a level of its own: limitResponse Reject and few
shares give the same behaviour with numbers that can be chosen.)",
    .check = check,
};

}  // namespace apf
