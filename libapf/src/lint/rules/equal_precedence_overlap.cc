// APF120: two FlowSchemas of one precedence that match the same request.
#include <algorithm>

#include <fmt/format.h>

#include "lint/given_schemas.h"
#include "lint/reach/reach_text.h"
#include "lint/select.h"

namespace apf {

namespace {

// Of a FlowSchema for everybody behind the built-in service-accounts rule after-service-accounts says more.
bool comes_after_service_accounts(const LintContext& context, const FlowSchema& winner, const FlowSchema& other) {
  if (winner.meta.name != "service-accounts" || is_given(winner.meta)) return false;
  if (!is_selected(context.options, "APF201", "after-service-accounts")) return false;
  return std::any_of(other.rules.begin(), other.rules.end(), [](const PolicyRule& rule) {
    return std::any_of(rule.subjects.begin(), rule.subjects.end(), is_everybody);
  });
}

void check(const LintContext& context, Findings& findings) {
  for (const Overlap& overlap : context.reach().equal_precedence_overlaps()) {
    const FlowSchema &winner = *overlap.winner, &other = *overlap.other;
    if (is_stock(winner) && is_stock(other)) continue;
    const bool at_other = is_given(other.meta) && !is_stock(other);
    const FlowSchema &at = at_other ? other : winner, &with = at_other ? winner : other;
    if (comes_after_service_accounts(context, winner, other)) continue;
    const std::string message =
        at_other ? fmt::format(
                       "some requests that this FlowSchema matches go to \"{}\": the matchingPrecedence of both is "
                       "{}, and the name that sorts first decides",
                       with.meta.name, at.matching_precedence)
                 : fmt::format(
                       "this FlowSchema takes requests that \"{}\" matches too: the matchingPrecedence of both is "
                       "{}, and the name that sorts first decides",
                       with.meta.name, at.matching_precedence);
    Diagnostic& d = findings.add(at, "spec.matchingPrecedence", message);
    // Who takes them matters little where both lead to the same queues.
    if (winner.priority_level == other.priority_level && winner.distinguisher_method == other.distinguisher_method)
      d.severity = Severity::info;
    add_schema_notes({&with}, d);
    d.witness = overlap.witness.command;
  }
}

}  // namespace

extern const Rule rule_equal_precedence_overlap = {
    .code = "APF120",
    .name = "equal-precedence-overlap",
    .severity = Severity::warning,
    .group = RuleGroup::dangling,
    .summary = "two FlowSchemas of equal precedence match the same request",
    .what = R"(Two FlowSchemas have the same matchingPrecedence, and some request that no earlier one takes matches
both. It is an info where both have the same priority level and distinguisher. That somebody may be in two groups is
not counted.)",
    .why = R"(The one whose name sorts first takes the request. Renaming an object, or adding one, silently moves
traffic to another priority level.)",
    .example = R"(metadata: {name: ci}
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
    .instead = "Give the one that shall come first a lower matchingPrecedence.",
    .check = check,
};

}  // namespace apf
