// APF112: a subject of a rule whose requests all go elsewhere.
#include <fmt/core.h>

#include "lint/reach/text.h"

namespace apf {

namespace {

void check_dead_subject(const LintContext& context, Findings& findings) {
  const Reach& reach = context.reach();
  for_given_schemas(context, [&](std::uint32_t schema, const FlowSchema&) {
    const SchemaReach& of = reach.of(schema);
    for (std::uint32_t r = 0; r < of.rules.size(); ++r) {
      const RuleReach& rule = of.rules[r];
      if (!rule.reached) continue;
      for (std::uint32_t s = 0; s < rule.subjects.size(); ++s) {
        if (rule.subjects[s] || !rule.known_subjects[s]) continue;
        ReachSelection selection;
        selection.rule = r;
        selection.subject = s;
        add_shadowed(reach, schema, selection, fmt::format("{}.subjects[{}]", rule_field(r), s),
                     "this rule for this subject", findings);
      }
    }
  });
}

}  // namespace

extern const Rule rule_dead_subject = {
    .code = "APF112",
    .name = "dead-subject",
    .severity = Severity::warning,
    .group = RuleGroup::dangling,
    .summary = "earlier FlowSchemas match all requests of a subject",
    .what = R"(The rule gets requests of its other subjects, but earlier FlowSchemas match all requests that this
subject could send within the rule. User system:apiserver is kube-apiserver itself: it is in group system:masters, so
that FlowSchema exempt gets its requests.)",
    .why = "The subject's requests go to the priority levels of the earlier FlowSchemas, not to this one's.",
    .example = R"(spec:
  matchingPrecedence: 1000
  rules:
  - subjects:
    - {kind: Group, group: {name: system:masters}}   # taken by exempt (1)
    - {kind: Group, group: {name: ci-admins}}
    resourceRules:
    - {verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"]}
)",
    .instead = R"(Delete the subject, or give this FlowSchema a lower matchingPrecedence than those that the finding
names.)",
    .check = check_dead_subject,
};

}  // namespace apf
