// APF214: a version, or a path, where an API group belongs.
#include <fmt/core.h>

#include "lint/given_schemas.h"
#include "lint/missed_request.h"

namespace apf {

namespace {

// A resource of the rule that the group has; empty if none is known.
std::string_view resource_in(const ResourceRule& rule, const std::string& group) {
  ResourceRule in_group = rule;
  in_group.api_groups = {group};
  for (const std::string& entry : rule.resources) {
    if (!built_in_resources(in_group, entry).empty()) return entry;
  }
  return {};
}

void check_versions(const LintContext& context, const ResourceRuleEntry& of, Findings& findings) {
  const auto& [schema, number, rule, field] = of;
  for (std::size_t i = 0; i < rule.api_groups.size(); ++i) {
    const std::string& entry = rule.api_groups[i];
    const bool names_core = entry == "core" || entry.starts_with("core/") || looks_like_version(entry);
    if (!names_core && entry.find('/') == std::string::npos) continue;
    if (entry.find('*') != std::string::npos) continue;  // rule literal-wildcard
    const std::string group(names_core ? std::string_view() : resource_of(entry));
    const std::string at = item_field(field + ".apiGroups", i);
    Diagnostic& d = findings.add(
        schema, at,
        names_core
            ? fmt::format("\"{}\" matches no request: write \"\" for the core group", entry)
            : fmt::format("\"{}\" matches no request: the API group is \"{}\", without a version", entry, group));
    if (const std::string_view resource = resource_in(rule, group); !resource.empty()) {
      d.witness = missed_by(context, schema, number, request_of(rule, group, resource));
    }
    offer_correction(d, schema, at, rule.api_groups, group);
  }
}

void check_version_in_group(const LintContext& context, Findings& findings) {
  for_each_resource_rule(context, [&](const ResourceRuleEntry& of) { check_versions(context, of, findings); });
}

}  // namespace

extern const Rule rule_version_in_group = {
    .code = "APF214",
    .name = "version-in-api-group",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "an entry of apiGroups includes a version",
    .what = "An entry of apiGroups looks like apps/v1, v1 or core.",
    .why = R"(Requests have the group without a version, and the group of pods, services and the other core resources
is the empty string. The entry matches no request.)",
    .example = R"(resourceRules:
- verbs: ["*"]
  apiGroups: [v1, apps/v1]
  resources: [pods, deployments]
  namespaces: ["*"]
)",
    .instead = R"(resourceRules:
- verbs: ["*"]
  apiGroups: ["", apps]
  resources: [pods, deployments]
  namespaces: ["*"]
)",
    .check = check_version_in_group,
};

}  // namespace apf
