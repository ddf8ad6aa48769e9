// APF217: resources of one scope under a rule that matches only the other.
#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "lint/given_schemas.h"
#include "lint/missed_request.h"
#include "lint/system_traffic.h"

namespace apf {

namespace {

Diagnostic& check_cluster_scoped(const LintContext& context, const ResourceRuleEntry& of, const std::string& at,
                                 const std::string& entry, Findings& findings) {
  Diagnostic& d = findings.add(
      of.schema, at,
      fmt::format("\"{}\" is cluster-scoped: its requests have no namespace and match only with clusterScope: true",
                  entry));
  if (!takes_system_traffic(context, of)) offer_fix(d, "set clusterScope: true", false, cluster_scope_edits(of));
  return d;
}

Diagnostic* check_namespaced(const FlowSchema& schema, const ResourceRule& rule, const std::string& at,
                             const std::string& entry, Findings& findings) {
  const bool any = is_any(rule.verbs);
  if (!any && std::all_of(rule.verbs.begin(), rule.verbs.end(), spans_namespaces)) return nullptr;
  const bool something = any || std::any_of(rule.verbs.begin(), rule.verbs.end(), spans_namespaces);
  return &findings.add(
      schema, at,
      something ? fmt::format(
                      "\"{}\" is namespaced: without namespaces only its lists and watches across all namespaces match",
                      entry)
                : fmt::format("\"{}\" is namespaced: without namespaces no request of these verbs matches", entry));
}

void check_scopes(const LintContext& context, const ResourceRuleEntry& of, Findings& findings) {
  const auto& [schema, number, rule, field] = of;
  for (std::size_t i = 0; i < rule.resources.size(); ++i) {
    const std::string& entry = rule.resources[i];
    // A request for one namespace carries that namespace, one for all of them does not.
    if (resource_of(entry) == "namespaces") continue;
    const std::vector<const ApiResource*> known = built_in_resources(rule, entry);
    if (known.empty()) continue;
    const bool all_namespaced =
        std::all_of(known.begin(), known.end(), [](const ApiResource* r) { return r->namespaced; });
    const bool none_namespaced =
        std::none_of(known.begin(), known.end(), [](const ApiResource* r) { return r->namespaced; });
    const std::string at = item_field(field + ".resources", i);
    if (none_namespaced && !rule.cluster_scope && !rule.namespaces.empty()) {
      Diagnostic& d = check_cluster_scoped(context, of, at, entry, findings);
      d.witness = missed_by(context, schema, number, request_of(rule, known[0]->group, entry));
    }
    if (!all_namespaced || !rule.cluster_scope || !rule.namespaces.empty()) continue;
    if (Diagnostic* d = check_namespaced(schema, rule, at, entry, findings)) {
      RequestInfo request = request_of(rule, known[0]->group, entry);
      request.ns = "default";
      d->witness = missed_by(context, schema, number, request);
    }
  }
}

void check_scope_mismatch(const LintContext& context, Findings& findings) {
  for_each_resource_rule(context, [&](const ResourceRuleEntry& of) { check_scopes(context, of, findings); });
}

}  // namespace

extern const Rule rule_scope_mismatch = {
    .code = "APF217",
    .name = "scope-mismatch",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "a rule excludes the scope that a resource's requests have",
    .what = R"(A cluster-scoped built-in resource is in a rule with namespaces but without clusterScope: true. Or a
namespaced one is in a rule with clusterScope: true, without namespaces, and with other verbs than list and watch.)",
    .why = R"(namespaces: ["*"] means any namespace, but not "no namespace": requests for nodes match only with
clusterScope: true. Conversely, for a namespaced resource clusterScope: true matches only lists and watches across all
namespaces. Whether a resource is namespaced, `kubectl api-resources` says. A rule for both sorts needs both fields.)",
    .example = R"(resourceRules:
- verbs: ["*"]
  apiGroups: [""]
  resources: [nodes]
  namespaces: ["*"]
)",
    .instead = R"(resourceRules:
- verbs: ["*"]
  apiGroups: [""]
  resources: [nodes]
  clusterScope: true
- verbs: ["*"]           # a namespaced resource: in any namespace, and across all of them
  apiGroups: [""]
  resources: [pods]
  namespaces: ["*"]
  clusterScope: true
)",
    .check = check_scope_mismatch,
};

}  // namespace apf
