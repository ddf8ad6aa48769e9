// APF110: a FlowSchema that never gets a request, because earlier ones take all of them.
#include "lint/reach/reach_text.h"

namespace apf {

namespace {

void check(const LintContext& context, Findings& findings) {
  const Reach& reach = context.reach();
  for_given_schemas(context, [&](std::uint32_t schema, const FlowSchema&) {
    const SchemaReach& of = reach.of(schema);
    if (of.matches_something && !of.reached) {
      add_shadowed(reach, schema, {}, "spec.matchingPrecedence", "this FlowSchema", findings);
    }
  });
}

}  // namespace

extern const Rule rule_unreachable_schema = {
    .code = "APF110",
    .name = "unreachable-schema",
    .severity = Severity::warning,
    .group = RuleGroup::dangling,
    .summary = "earlier FlowSchemas take every request that a FlowSchema matches",
    .what = R"(FlowSchemas are consulted by matchingPrecedence, the lowest first, and by name where it is equal; the
first that matches takes the request. For every subject, verb, resource, namespace and path of this one, an earlier
one matches. This is decided exactly, with the groups that authentication gives to each user.)",
    .why = R"(The FlowSchema and the priority level behind it do nothing: what they were to protect or to limit is
treated as the earlier ones say.)",
    .example = R"(kind: FlowSchema
metadata: {name: ci-list}
spec:
  matchingPrecedence: 9500      # after service-accounts (9000)
  priorityLevelConfiguration: {name: workload-low}
  rules:
  - subjects:
    - kind: ServiceAccount
      serviceAccount: {namespace: ci, name: "*"}
    resourceRules:
    - {verbs: [list], apiGroups: ["*"], resources: ["*"], namespaces: ["*"]}
)",
    .instead = R"(Give it a matchingPrecedence lower than that of those which shadow it, or delete it. The witness is
a request that it matches and does not get.)",
    .check = check,
};

}  // namespace apf
