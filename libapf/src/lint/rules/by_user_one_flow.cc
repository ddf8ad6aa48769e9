// APF221: ByUser where there is one user.
#include <set>

#include <fmt/core.h>

#include "lint/given_schemas.h"

namespace apf {

namespace {

void check_by_user_one_flow(const LintContext& context, Findings& findings) {
  const EffectiveLevels& levels = context.levels();
  for (const FlowSchema* schema : own_schemas(context)) {
    const LevelUse* level = levels.spreading(*schema);
    if (schema->distinguisher_method != "ByUser" || !level) continue;
    std::set<std::string> users;
    bool several = false;
    for (const PolicyRule& rule : schema->rules) {
      for (const Subject& subject : rule.subjects) {
        several = several || is_crowd(subject);
        users.insert(only_user(subject));
      }
    }
    if (several || users.size() != 1 || users.begin()->empty()) continue;
    findings.add(
        *schema, "spec.distinguisherMethod.type",
        fmt::format("ByUser makes all requests one flow: {} is the only user; they share {} of the level's {} queues",
                    *users.begin(), level->hand_size, level->queues));
  }
}

}  // namespace

extern const Rule rule_by_user_one_flow = {
    .code = "APF221",
    .name = "by-user-one-flow",
    .severity = Severity::info,
    .group = RuleGroup::precedence,
    .summary = "ByUser where there is only one user",
    .what = R"(A FlowSchema distinguishes flows by user, but its only subject is a single user or service account. Its
level has more than one queue. This rule runs only if it is selected by its code or name, or if the settings give it a
severity.)",
    .why = R"(All requests are one flow, as without a distinguisher. The flow uses only handSize of the level's
queues, however many there are. That may be intended, if the FlowSchema as a whole should get one share of a level
that others use too.)",
    .example = R"(spec:
  distinguisherMethod: {type: ByUser}
  rules:
  - subjects:
    - kind: ServiceAccount
      serviceAccount: {namespace: ci, name: builder}
)",
    .instead = R"(Leave distinguisherMethod out. If one user works for many namespaces, use ByNamespace, as the
built-in FlowSchema kube-controller-manager does.)",
    .on_request = true,
    .check = check_by_user_one_flow,
};

}  // namespace apf
