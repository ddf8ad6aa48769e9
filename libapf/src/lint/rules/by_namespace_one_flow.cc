// APF220: ByNamespace where all requests are of one namespace, or of none.
#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "lint/given_schemas.h"

namespace apf {

namespace {

// Adds the namespaces of matching requests; false if there may be any number.
bool add_namespaces(const ResourceRule& rule, std::set<std::string_view>& out) {
  if (rule.cluster_scope) out.insert("");
  if (rule.namespaces.empty()) return true;
  const auto is_cluster_scoped = [&](const std::string& entry) {
    if (resource_of(entry) == "namespaces") return false;  // their requests carry their own name as namespace
    const std::vector<const ApiResource*> known = built_in_resources(rule, entry);
    return !known.empty() &&
           std::none_of(known.begin(), known.end(), [](const ApiResource* r) { return r->namespaced; });
  };
  if (std::all_of(rule.resources.begin(), rule.resources.end(), is_cluster_scoped)) return true;
  if (is_any(rule.namespaces)) return false;
  out.insert(rule.namespaces.begin(), rule.namespaces.end());
  return true;
}

void check_by_namespace_one_flow(const LintContext& context, Findings& findings) {
  const EffectiveLevels& levels = context.levels();
  for (const FlowSchema* schema : own_schemas(context)) {
    const LevelUse* level = levels.spreading(*schema);
    if (schema->distinguisher_method != "ByNamespace" || !level || schema->rules.empty()) continue;
    std::set<std::string_view> namespaces;
    bool bounded = true;
    for (const PolicyRule& rule : schema->rules) {
      for (const ResourceRule& part : rule.resource_rules) bounded = bounded && add_namespaces(part, namespaces);
      if (!rule.non_resource_rules.empty()) namespaces.insert("");
    }
    if (!bounded || namespaces.size() > 1) continue;
    const std::string_view only = namespaces.empty() ? std::string_view() : *namespaces.begin();
    findings.add(*schema, "spec.distinguisherMethod.type",
                 fmt::format("ByNamespace makes all requests one flow: {}; they share {} of the level's {} queues",
                             only.empty() ? "none of them has a namespace"
                                          : fmt::format("all are in the namespace \"{}\"", only),
                             level->hand_size, level->queues));
  }
}

}  // namespace

extern const Rule rule_by_namespace_one_flow = {
    .code = "APF220",
    .name = "by-namespace-one-flow",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "ByNamespace where all requests have one namespace or none",
    .what = R"(A FlowSchema distinguishes flows by namespace, but everything that its rules match is cluster-scoped,
non-resource or in one namespace. Its level has more than one queue.)",
    .why = R"(All requests without a namespace are one flow. The users share the queues of one flow, and any one of
them can fill these for all.)",
    .example = R"(spec:
  distinguisherMethod: {type: ByNamespace}
  rules:
  - subjects:
    - kind: Group
      group: {name: auditors}
    nonResourceRules:
    - verbs: [get]
      nonResourceURLs: ["/metrics"]
)",
    .instead = R"(spec:
  distinguisherMethod: {type: ByUser}
)",
    .check = check_by_namespace_one_flow,
};

}  // namespace apf
