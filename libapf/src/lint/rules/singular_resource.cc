// APF212: a kind, a singular or a short name where requests carry the plural.
#include <algorithm>
#include <cctype>

#include <fmt/core.h>

#include "base/text.h"
#include "lint/given_schemas.h"
#include "lint/missed_request.h"

namespace apf {

namespace {

// The built-in resource that is meant by a name that is not its own. Under "*" a short name may well be that of a
// custom resource, so only singulars count there.
const ApiResource* meant(const ResourceRule& rule, const std::string& name) {
  if (!is_any(rule.api_groups)) {
    const ApiResource* result = nullptr;
    for (const std::string& group : rule.api_groups) {
      const std::string_view view = group;
      // A group that is not built in may have a resource of any name.
      if (!is_built_in_group(group)) return nullptr;
      if (const ApiResource* found = find_api_resource(name, &view)) {
        if (found->name == name) return nullptr;
        result = found;
      }
    }
    return result;
  }
  const ApiResource* found = find_api_resource(name, nullptr);
  return found && found->name != name && is_plural_of(found->name, name) ? found : nullptr;
}

void check_plurals(const LintContext& context, const ResourceRuleEntry& of, Findings& findings) {
  const auto& [schema, number, rule, field] = of;
  for (std::size_t i = 0; i < rule.resources.size(); ++i) {
    const std::string& entry = rule.resources[i];
    const std::string name(resource_of(entry)), small = in_lower_case(name);
    if (name.empty() || name.find_first_of("*.") != std::string::npos) continue;
    const ApiResource* resource = meant(rule, small);
    if (!resource) {
      if (!has_capitals(name)) continue;
      resource = find_api_resource(small, nullptr);
      if (resource && resource->name != small) resource = nullptr;
    }
    const std::string cure(resource ? resource->name : std::string_view());
    const std::string at = item_field(field + ".resources", i);
    Diagnostic& d = findings.add(
        schema, at,
        cure.empty() ? fmt::format("\"{}\" matches no request: resources are lower case and plural, as in URLs", entry)
                     : fmt::format("\"{}\" matches no request: the resource is named \"{}\"", entry, cure));
    if (cure.empty()) continue;
    const std::string whole = cure + entry.substr(name.size());
    d.witness = missed_by(context, schema, number, request_of(rule, resource->group, whole));
    offer_correction(d, schema, at, rule.resources, whole);
  }
}

void check_singular_resource(const LintContext& context, Findings& findings) {
  for_each_resource_rule(context, [&](const ResourceRuleEntry& of) { check_plurals(context, of, findings); });
}

}  // namespace

extern const Rule rule_singular_resource = {
    .code = "APF212",
    .name = "kind-or-singular-resource",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "a resource is written as a kind, in the singular or abbreviated",
    .what = R"(An entry of resources has capital letters, or is the singular or kubectl's short name of a built-in
resource (Pod, pod, po, deploy).)",
    .why = R"(The server compares the entry with the resource in the URL: lower case, plural, not abbreviated.
Anything else matches no request.)",
    .example = R"(resourceRules:
- verbs: ["*"]
  apiGroups: [apps]
  resources: [Deployment]
  namespaces: ["*"]
)",
    .instead = R"(resources: [deployments]
)",
    .check = check_singular_resource,
};

}  // namespace apf
