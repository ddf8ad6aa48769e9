// APF710: what the ResourceQuota plugin is to limit, by a name that no request has.
#include <algorithm>
#include <string_view>

#include <fmt/core.h>

#include "base/api_resources.h"
#include "config/closest.h"
#include "config/resource_quota.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"
#include "lint/rule.h"

namespace apf {

namespace {

constexpr std::string_view kScopeNames[] = {
    "BestEffort",  "CrossNamespacePodAffinity", "NotBestEffort", "NotTerminating", "PriorityClass",
    "Terminating", "VolumeAttributesClass"};

using LimitedResource = ResourceQuotaConfiguration::LimitedResource;

void check_resource(const ResourceQuotaConfiguration& object, const LimitedResource& limited, const std::string& field,
                    Findings& findings) {
  const std::string_view group = limited.api_group;
  const ApiResource* known = find_api_resource(limited.resource, &group);
  if (!known || known->name == limited.resource) return;
  Diagnostic& d =
      findings.add(object.meta, "ResourceQuotaConfiguration", field + ".resource",
                   fmt::format("\"{}\" limits nothing: resources are named as in URLs, by their plural \"{}\"",
                               limited.resource, known->name));
  if (object.meta.source.tree)
    offer_fix(d, fmt::format("replace it with \"{}\"", known->name), false,
              replace_scalar(*object.meta.source.tree, field + ".resource", known->name));
}

void check_scopes_of(const ResourceQuotaConfiguration& object, const LimitedResource& limited, const std::string& field,
                     Findings& findings) {
  for (std::size_t i = 0; i < limited.match_scopes.size(); ++i) {
    const std::string& scope = limited.match_scopes[i].scope_name;
    if (is_quota_scope(scope)) continue;
    const std::string at = fmt::format("{}.matchScopes[{}].scopeName", field, i);
    Diagnostic& d =
        findings.add(object.meta, "ResourceQuotaConfiguration", at,
                     fmt::format("there is no scope \"{}\": nothing matches it, so it demands no quota", scope));
    const std::string_view near = closest(scope, kScopeNames);
    if (near.empty()) continue;
    d.notes.push_back({did_you_mean(near), {}});
    if (object.meta.source.tree)
      offer_fix(d, fmt::format("replace it with \"{}\"", near), false,
                replace_scalar(*object.meta.source.tree, at, near));
  }
}

void check_unmatched_limited_resource(const LintContext& context, Findings& findings) {
  for (const ResourceQuotaConfiguration& object : context.loaded.resource_quota_configurations) {
    for (std::size_t i = 0; i < object.limited_resources.size(); ++i) {
      const std::string field = fmt::format("limitedResources[{}]", i);
      check_resource(object, object.limited_resources[i], field, findings);
      check_scopes_of(object, object.limited_resources[i], field, findings);
    }
  }
}

}  // namespace

extern const Rule rule_unmatched_limited_resource = {
    .code = "APF710",
    .name = "unmatched-limited-resource",
    .severity = Severity::warning,
    .group = RuleGroup::resource_quota,
    .summary = "the ResourceQuota plugin is to limit something that no request is for",
    .what = R"(An entry of limitedResources in a ResourceQuotaConfiguration names a built-in resource by its kind, its
singular or its short name, or a scope that doesn't exist.)",
    .why = R"(The server accepts any text here, and compares it with the resource of each request and with the scopes
that it knows. The entry never applies: what should need a quota is created without one.)",
    .example = R"(apiVersion: apiserver.config.k8s.io/v1
kind: ResourceQuotaConfiguration
limitedResources:
- resource: pod
  matchScopes:
  - {scopeName: PriorityClasses, operator: In, values: [system-cluster-critical]}
)",
    .instead = R"(limitedResources:
- resource: pods
  matchScopes:
  - {scopeName: PriorityClass, operator: In, values: [system-cluster-critical]}
)",
    .check = check_unmatched_limited_resource,
};

}  // namespace apf
