// APF111: a rule, or one resourceRule or nonResourceRule of it, that never gets a request.
#include "lint/reach/text.h"

namespace apf {

namespace {

void check_rule(const Reach& reach, std::uint32_t schema, std::uint32_t number, const RuleReach& rule,
                Findings& findings) {
  if (!rule.matches_something) return;
  ReachSelection selection;
  selection.rule = number;
  if (!rule.reached) return add_shadowed(reach, schema, selection, rule_field(number), "this rule", findings);
  for (std::uint32_t i = 0; i < rule.parts.size(); ++i) {
    const PartReach& part = rule.parts[i];
    if (!part.matches_something || part.reached) continue;
    selection.part = i;
    add_shadowed(reach, schema, selection, part_field(number, part),
                 part.is_url ? "this nonResourceRule" : "this resourceRule", findings);
  }
}

void check_dead_rule(const LintContext& context, Findings& findings) {
  const Reach& reach = context.reach();
  for_given_schemas(context, [&](std::uint32_t schema, const FlowSchema&) {
    const SchemaReach& of = reach.of(schema);
    if (!of.reached) return;
    for (std::uint32_t r = 0; r < of.rules.size(); ++r) check_rule(reach, schema, r, of.rules[r], findings);
  });
}

}  // namespace

extern const Rule rule_dead_rule = {
    .code = "APF111",
    .name = "dead-rule",
    .severity = Severity::warning,
    .group = RuleGroup::dangling,
    .summary = "earlier FlowSchemas match all requests of a rule",
    .what = R"(The FlowSchema gets requests, but none through this rule, resourceRule or nonResourceRule: earlier
FlowSchemas match everything that it matches.)",
    .why = "It looks as if this rule handled these requests. It doesn't.",
    .example = R"(spec:
  matchingPrecedence: 9500      # after service-accounts (9000)
  rules:
  - subjects:                   # dead
    - kind: ServiceAccount
      serviceAccount: {namespace: ci, name: "*"}
    resourceRules:
    - {verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"]}
  - subjects:
    - {kind: Group, group: {name: ci-admins}}
    resourceRules:
    - {verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"]}
)",
    .instead = "Lower matchingPrecedence below that of the FlowSchemas that the finding names, or delete the rule.",
    .check = check_dead_rule,
};

}  // namespace apf
