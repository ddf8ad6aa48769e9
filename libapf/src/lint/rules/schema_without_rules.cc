// APF103: a FlowSchema that can match nothing because it has no rules.
#include "lint/rule.h"

namespace apf {

namespace {

void check_schema_without_rules(const LintContext& context, Findings& findings) {
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    if (schema.rules.empty()) findings.add(schema, "spec.rules", "this FlowSchema has no rules and matches no request");
  }
}

}  // namespace

extern const Rule rule_schema_without_rules = {
    .code = "APF103",
    .name = "schema-without-rules",
    .severity = Severity::warning,
    .group = RuleGroup::dangling,
    .summary = "a FlowSchema has no rules",
    .what = "spec.rules is missing or empty.",
    .why = R"(The server accepts the FlowSchema, but it matches no request. It looks as if some traffic were taken
care of, and it isn't.)",
    .example = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: ci
spec:
  matchingPrecedence: 1000
  priorityLevelConfiguration:
    name: workload-low
)",
    .instead = R"(spec:
  matchingPrecedence: 1000
  priorityLevelConfiguration:
    name: workload-low
  rules:
  - subjects:
    - kind: ServiceAccount
      serviceAccount: {namespace: ci, name: "*"}
    resourceRules:
    - verbs: ["*"]
      apiGroups: ["*"]
      resources: ["*"]
      namespaces: ["*"]
)",
    .check = check_schema_without_rules,
};

}  // namespace apf
