// APF120: two FlowSchemas of one precedence that match the same request.
#include <fmt/format.h>

#include "lint/reach_text.h"

namespace apf {

namespace {

void check(const LintContext& context, Findings& findings) {
  for (const Overlap& overlap : context.reach().equal_precedence_overlaps()) {
    const FlowSchema &winner = *overlap.winner, &other = *overlap.other;
    if (is_stock(winner) && is_stock(other)) continue;
    const bool at_other = is_given(other.meta) && !is_stock(other);
    const FlowSchema &at = at_other ? other : winner, &with = at_other ? winner : other;
    Diagnostic& d = findings.add(
        at, "spec.matchingPrecedence",
        fmt::format("\"{}\" has the same matchingPrecedence ({}) and matches some of the same requests: {} takes them, "
                    "because its name sorts first",
                    with.meta.name, at.matching_precedence, at_other ? "it" : "this one"));
    // Who takes them matters little where both lead to the same queues.
    if (winner.priority_level == other.priority_level && winner.distinguisher_method == other.distinguisher_method)
      d.severity = Severity::info;
    add_schema_notes({&with}, d);
    d.witness = overlap.witness.command;
  }
}

}  // namespace

extern const Rule rule_equal_precedence_overlap = {
    {"APF120", "equal-precedence-overlap", Severity::warning,
     "two FlowSchemas of equal precedence match the same request",
     "Two FlowSchemas have the same matchingPrecedence, and some request that no earlier one takes matches both. It is "
     "an "
     "info where both have the same priority level and distinguisher. That somebody may be in two groups is not "
     "counted.",
     "The one whose name sorts first takes the request. Renaming an object, or adding one, silently moves traffic to "
     "another priority level.",
     R"(metadata: {name: ci}
spec:
  matchingPrecedence: 1000
  rules:
  - subjects: [{kind: ServiceAccount, serviceAccount: {namespace: ci, name: "*"}}]
    resourceRules:
    - {verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"]}
---
metadata: {name: all-lists}
spec:
  matchingPrecedence: 1000
  rules:
  - subjects: [{kind: Group, group: {name: system:serviceaccounts}}]
    resourceRules:
    - {verbs: [list], apiGroups: ["*"], resources: ["*"], namespaces: ["*"]}
)",
     "Give the one that shall come first a lower matchingPrecedence."},
    check};

}  // namespace apf
