// APF120: two FlowSchemas of one precedence that match the same request.
#include <algorithm>

#include <fmt/core.h>

#include "lint/given_schemas.h"
#include "lint/reach/text.h"
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

void check_equal_precedence_overlap(const LintContext& context, Findings& findings) {
  for (const Overlap& overlap : context.reach().equal_precedence_overlaps()) {
    const FlowSchema &winner = *overlap.winner, &other = *overlap.other;
    if (is_stock(winner) && is_stock(other)) continue;
    const bool at_other = is_given(other.meta) && !is_stock(other);
    const FlowSchema &at = at_other ? other : winner, &with = at_other ? winner : other;
    if (comes_after_service_accounts(context, winner, other)) continue;
    const std::string message =
        at_other ? fmt::format(
                       "some requests that this FlowSchema matches go to \"{}\": both have matchingPrecedence "
                       "{}, and the name that sorts first decides",
                       with.meta.name, at.matching_precedence)
                 : fmt::format(
                       "this FlowSchema gets requests that \"{}\" matches too: both have matchingPrecedence "
                       "{}, and the name that sorts first decides",
                       with.meta.name, at.matching_precedence);
    Diagnostic& d = findings.add(at, "spec.matchingPrecedence", message);
    // If both use the same queues, it matters little which one gets them.
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
    .what = R"(Two FlowSchemas have the same matchingPrecedence, and both match some request that no earlier
FlowSchema gets. The severity is info if both have the same priority level and distinguisher. Users who could be in
two groups at once are not considered.)",
    .why = R"(The FlowSchema whose name sorts first gets the request. Renaming or adding an object silently moves
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
    .instead = R"(Give a lower matchingPrecedence to the one that should come first; the more special of the two, as a
rule. `apfctl ladder` shows which numbers are free, and `apfctl ladder --place` where a request's FlowSchema has to
stand. If it doesn't matter which one gets the requests, lead both to the same level with the same distinguisher.)",
    .check = check_equal_precedence_overlap,
};

}  // namespace apf
