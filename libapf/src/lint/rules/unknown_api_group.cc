// APF233: an API group that no server can have, or that this release no longer has.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "base/api_groups.h"
#include "config/closest.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

// The names without a dot in the release; the core group aside.
std::vector<std::string_view> short_groups(KubeVersion version) {
  std::vector<std::string_view> out;
  for (const GroupResources& row : group_resources()) {
    const bool is_short = !row.group.empty() && row.group.find('.') == row.group.npos;
    if (is_short && has(row, version) && std::find(out.begin(), out.end(), row.group) == out.end())
      out.push_back(row.group);
  }
  return out;
}

// "rbac.authorization.k8s.io" of "rbac", "apps" of "app"; empty if none is near.
std::string_view meant_group(std::string_view entry, const std::vector<std::string_view>& short_names) {
  for (const GroupResources& row : group_resources()) {
    if (row.group.starts_with(entry) && row.group.substr(entry.size()).starts_with('.')) return row.group;
  }
  return closest(entry, short_names);
}

// Wildcards, versions and "core" have rules of their own.
bool is_other_rules(std::string_view entry) {
  return entry.empty() || entry == "core" || looks_like_version(entry) || entry.find_first_of("*/.") != entry.npos;
}

bool is_gone(std::string_view group, KubeVersion version) {
  const auto rows = group_resources();
  return is_own_group(group) && std::none_of(rows.begin(), rows.end(), [&](const GroupResources& row) {
           return row.group == group && (has(row, version) || comes_later(row, version));
         });
}

void check_groups(const LintContext& context, const ResourceRuleEntry& of, Findings& findings) {
  const std::vector<std::string>& groups = of.part.api_groups;
  const KubeVersion version = context.options.version;
  const std::vector<std::string_view> short_names = short_groups(version);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::string& entry = groups[i];
    const std::string at = item_field(of.field + ".apiGroups", i);
    if (is_gone(entry, version)) {
      if (!is_any(of.part.resources)) continue;  // rule resource-not-in-group
      Diagnostic& d = findings.add(
          of.schema, at,
          fmt::format("\"{}\" matches no request: Kubernetes {} no longer has this API group", entry, version.str()));
      if (groups.size() > 1) d.severity = Severity::info;
    } else if (!is_other_rules(entry) &&
               std::find(short_names.begin(), short_names.end(), entry) == short_names.end() && !is_own_group(entry)) {
      Diagnostic& d = findings.add(
          of.schema, at,
          fmt::format(
              "\"{}\" matches no request: it is no API group, and those of CustomResourceDefinitions have a dot",
              entry));
      const std::string_view near = meant_group(entry, short_names);
      if (near.empty()) continue;
      d.notes.push_back({did_you_mean(near), {}});
      offer_correction(d, of.schema, at, groups, std::string(near));
    }
  }
}

void check_unknown_api_group(const LintContext& context, Findings& findings) {
  for_each_resource_rule(context, [&](const ResourceRuleEntry& of) { check_groups(context, of, findings); });
}

}  // namespace

extern const Rule rule_unknown_api_group = {
    .code = "APF233",
    .name = "unknown-api-group",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "an entry of apiGroups is no API group",
    .what = R"(An entry of apiGroups has no dot and is none of Kubernetes' own groups without one (apps, autoscaling,
batch, policy). Or a rule for all resources lists a group that the release no longer has; the severity is info if it
lists others too.)",
    .why = R"(The server refuses a CustomResourceDefinition whose group has no dot, so no request is for such a
group. The entry matches nothing.)",
    .example = R"(resourceRules:
- verbs: ["*"]
  apiGroups: [rbac]
  resources: ["*"]
  clusterScope: true
)",
    .instead = R"(resourceRules:
- verbs: ["*"]
  apiGroups: [rbac.authorization.k8s.io]
  resources: ["*"]
  clusterScope: true
)",
    .check = check_unknown_api_group,
};

}  // namespace apf
