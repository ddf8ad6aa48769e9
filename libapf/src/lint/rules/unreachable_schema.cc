// APF110: a FlowSchema that never gets a request, because earlier ones take all of them.
#include "lint/reach/text.h"

namespace apf {

namespace {

void check_unreachable_schema(const LintContext& context, Findings& findings) {
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
    .summary = "earlier FlowSchemas match all requests of a FlowSchema",
    .what = R"(The server evaluates FlowSchemas by matchingPrecedence, the lowest first, and by name where it is
equal. The first one that matches gets the request. For every subject, verb, resource, namespace and path of this
FlowSchema, an earlier one matches. The check is exact: it compares all requests that the FlowSchema can match, also with
several earlier ones together, and not only examples. A finding is true, and without one some request does get here. It
takes into account the groups that authentication adds to each user: a service account is in system:serviceaccounts, in
the group of its namespace and in system:authenticated.)",
    .why = R"(The FlowSchema has no effect: the requests that it should protect or limit go to the priority levels of
the earlier ones.)",
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
    .instead =
        R"(Give it a lower matchingPrecedence than the FlowSchemas that shadow it (`apfctl ladder --place` finds a
number), narrow those, or delete it. The example request in the finding is one that it matches and doesn't get; run the
command to see who takes it.)",
    .check = check_unreachable_schema,
};

}  // namespace apf
