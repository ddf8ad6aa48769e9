// APF203: a FlowSchema for everybody that also catches the cluster's own components.
#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "lint/reach/reach.h"
#include "lint/system_traffic.h"

namespace apf {

namespace {

// "a, b and c".
std::string in_words(const std::vector<std::string_view>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " and " : ", ";
    out += names[i];
  }
  return out;
}

// Who of components() would be in a worse place, if the FlowSchema took them; the others have no user.
std::vector<std::optional<User>> users_at_risk(const LintContext& context, const EffectiveLevels& levels,
                                               const FlowSchema& schema, const Subject& subject) {
  std::vector<std::optional<User>> out;
  for (const Component& component : components()) {
    std::optional<User>& user = out.emplace_back();
    const FlowSchema* built_in = find_schema(context.effective, component.built_in);
    const bool is_account = component.user == std::string_view(kKubeSystemAccount);
    if (!built_in || (!is_everybody(subject) && !is_account)) continue;
    if (is_worse_place(context, levels, schema, *built_in)) user = system_user(component.user, component.group);
  }
  return out;
}

void check_catches_components(const LintContext& context, Findings& findings) {
  const FlowSchema* last = find_schema(context.effective, "kube-system-service-accounts");
  if (!last) return;
  const EffectiveLevels& levels = context.levels();
  for (const FlowSchema* schema : own_schemas(context)) {
    if (schema->matching_precedence > last->matching_precedence) continue;
    const std::optional<std::uint32_t> index = context.reach().index_of(schema->meta.name);
    if (!index) continue;
    for (std::size_t i = 0; i < schema->rules.size(); ++i) {
      const std::vector<Subject>& subjects = schema->rules[i].subjects;
      const auto broad = std::find_if(subjects.begin(), subjects.end(),
                                      [](const Subject& s) { return is_everybody(s) || is_all_service_accounts(s); });
      if (broad == subjects.end()) continue;
      TakenUsers taken = taken_users(context, users_at_risk(context, levels, *schema, *broad), *index, i);
      if (taken.users.empty()) continue;
      std::vector<std::string_view> names;
      for (const std::size_t component : taken.users) names.push_back(components()[component].what);
      Diagnostic& d = findings.add(
          *schema, subject_field(i, static_cast<std::size_t>(broad - subjects.begin())),
          fmt::format("{} includes {}: at precedence {} their requests go here instead of to their own FlowSchemas",
                      to_words(*broad), in_words(names), schema->matching_precedence));
      d.witness = std::move(taken.witness);
    }
  }
}

}  // namespace

extern const Rule rule_catches_components = {
    .code = "APF203",
    .name = "catches-components",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "a FlowSchema for everybody also matches the cluster's own components",
    .what = R"(A FlowSchema with the subject system:authenticated, system:serviceaccounts or "*" comes before
system-nodes, kube-controller-manager, kube-scheduler or kube-system-service-accounts, and matches requests of their
users for built-in resources. Its level is neither exempt nor theirs.)",
    .why = R"(Kubelets, kube-controller-manager and kube-scheduler are members of system:authenticated, and the
service accounts of kube-system are members of system:serviceaccounts. If they share limits with workloads, they stop
working when a workload is busy.)",
    .example = R"(metadata:
  name: lists-of-pods
spec:
  matchingPrecedence: 400
  priorityLevelConfiguration: {name: workload-low}
  rules:
  - subjects:
    - kind: Group
      group: {name: "system:authenticated"}
    resourceRules:
    - verbs: [list]
      apiGroups: [""]
      resources: [pods]
      clusterScope: true
)",
    .instead = R"(spec:
  matchingPrecedence: 1000
)",
    .check = check_catches_components,
};

}  // namespace apf
