// APF213: the API group written into the resource.
#include <fmt/core.h>

#include "lint/given_schemas.h"
#include "lint/missed_request.h"

namespace apf {

namespace {

struct Parted {
  std::string group, resource;  // resource with its subresource
};

// What "apps/deployments", "apps/v1/deployments", "v1/pods" and "deployments.apps/scale" mean; no group and no resource
// for anything else.
Parted part(std::string_view entry) {
  const std::string_view first = resource_of(entry), rest = subresource_of(entry);
  if (entry.find('*') != std::string_view::npos) return {};
  const bool names_group = first.find('.') == std::string_view::npos
                               ? !first.empty() && is_built_in_group(first)
                               : is_built_in_group(first) || looks_like_version(resource_of(rest));
  if (!rest.empty() && looks_like_version(first)) return {"", std::string(rest)};
  if (!rest.empty() && names_group) {
    const std::string_view after = looks_like_version(resource_of(rest)) ? subresource_of(rest) : rest;
    if (!after.empty()) return {std::string(first), std::string(after)};
    return {};
  }
  const std::size_t dot = first.find('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == first.size()) return {};
  // kubectl's "deployments.v1.apps"
  std::string_view group = first.substr(dot + 1);
  if (const std::size_t next = group.find('.'); looks_like_version(group.substr(0, next))) {
    group = next == std::string_view::npos ? std::string_view() : group.substr(next + 1);
  }
  return {std::string(group), std::string(first.substr(0, dot)) + std::string(entry.substr(first.size()))};
}

void check_grouped_resources(const LintContext& context, const ResourceRuleEntry& of, Findings& findings) {
  const auto& [schema, number, rule, field] = of;
  for (std::size_t i = 0; i < rule.resources.size(); ++i) {
    const Parted parted = part(rule.resources[i]);
    if (parted.resource.empty()) continue;
    const std::string at = item_field(field + ".resources", i);
    const bool group_listed = is_any(rule.api_groups) || holds(rule.api_groups, parted.group);
    Diagnostic& d = findings.add(
        schema, at,
        fmt::format("\"{}\" matches no request: the resource is \"{}\", and the group \"{}\" belongs in apiGroups",
                    rule.resources[i], parted.resource, parted.group));
    d.witness = missed_by(context, schema, number, request_of(rule, parted.group, parted.resource));
    if (!group_listed) {
      d.notes.push_back(
          note_at(schema.meta, field + ".apiGroups", fmt::format("apiGroups does not list \"{}\"", parted.group)));
    } else {
      offer_correction(d, schema, at, rule.resources, parted.resource);
    }
  }
}

void check_group_in_resource(const LintContext& context, Findings& findings) {
  for_each_resource_rule(context, [&](const ResourceRuleEntry& of) { check_grouped_resources(context, of, findings); });
}

}  // namespace

extern const Rule rule_group_in_resource = {
    .code = "APF213",
    .name = "group-in-resource",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "an entry of resources includes the API group",
    .what = "An entry of resources looks like apps/deployments, apps/v1/deployments, v1/pods or deployments.apps.",
    .why = R"(The part after a slash is a subresource, and no resource has a dot in its name. The entry matches no
request.)",
    .example = R"(resourceRules:
- verbs: ["*"]
  apiGroups: ["*"]
  resources: [deployments.apps]
  namespaces: ["*"]
)",
    .instead = R"(resourceRules:
- verbs: ["*"]
  apiGroups: [apps]
  resources: [deployments]
  namespaces: ["*"]
)",
    .check = check_group_in_resource,
};

}  // namespace apf
