// APF230: everybody's requests for resources go to the exempt level.
#include <algorithm>

#include <fmt/core.h>

#include "lint/given_schemas.h"
#include "lint/missed_request.h"
#include "lint/reach/reach.h"

namespace apf {

namespace {

bool is_open(const Subject& subject) {
  if (is_everybody(subject) || is_all_service_accounts(subject)) return true;
  return subject.kind == "Group" && subject.group && *subject.group == "system:unauthenticated";
}

// Health checks of everybody are cheap, and the server's own FlowSchema probes exempts them too.
bool holds_work(const PolicyRule& rule) {
  return !rule.resource_rules.empty() ||
         std::any_of(rule.non_resource_rules.begin(), rule.non_resource_rules.end(),
                     [](const NonResourceRule& part) { return holds(part.urls, "*") || holds(part.urls, "/*"); });
}

void check_workloads_to_exempt(const LintContext& context, Findings& findings) {
  const EffectiveLevels& levels = context.levels();
  for (const FlowSchema* schema : own_schemas(context)) {
    const LevelUse* level = levels.find(schema->priority_level);
    if (!level || !level->exempt) continue;
    const Reach& reach = context.reach();
    const std::optional<std::uint32_t> index = reach.index_of(schema->meta.name);
    if (!index) continue;
    for (std::size_t i = 0; i < schema->rules.size(); ++i) {
      const PolicyRule& rule = schema->rules[i];
      if (!holds_work(rule)) continue;
      for (std::size_t j = 0; j < rule.subjects.size(); ++j) {
        if (!is_open(rule.subjects[j]) || !reach.of(*index).rules[i].subjects[j]) continue;
        Diagnostic& d =
            findings.add(*schema, subject_field(i, j),
                         fmt::format("all requests of {} are exempt from limits here, however many there are",
                                     to_words(rule.subjects[j])));
        d.notes.push_back(note_at(schema->meta, "spec.priorityLevelConfiguration.name", "the level is exempt"));
        d.witness = taken_of(context, *index, i, rule.subjects[j]);
      }
    }
  }
}

}  // namespace

extern const Rule rule_workloads_to_exempt = {
    .code = "APF230",
    .name = "workloads-to-exempt",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "everybody, or every service account, is exempt",
    .what = R"(A FlowSchema uses an exempt level, and one of its rules for resources, or for all paths, has the
subject system:authenticated, system:unauthenticated, system:serviceaccounts or "*". Named service accounts, groups of
people (for emergencies, say) and health checks aren't reported.)",
    .why = R"(Exempt requests are never queued and never rejected. One workload in a loop can take down the whole
server, and no other level is protected from it.)",
    .example = R"(spec:
  matchingPrecedence: 10
  priorityLevelConfiguration: {name: exempt}
  rules:
  - subjects:
    - kind: Group
      group: {name: "system:serviceaccounts"}
    resourceRules:
    - verbs: ["*"]
      apiGroups: ["*"]
      resources: ["*"]
      namespaces: ["*"]
)",
    .instead = R"(Name the few service accounts or groups that must never wait, or use a Limited level with enough
shares.)",
    .check = check_workloads_to_exempt,
};

}  // namespace apf
