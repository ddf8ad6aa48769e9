// APF210: a "*" inside a name, where it is a plain character.
#include <fmt/core.h>

#include "base/identities.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"
#include "lint/missed_request.h"

namespace apf {

namespace {

// "*" alone means anything; together with others the server rejects it.
bool is_pattern(std::string_view text) { return text.size() > 1 && text.find('*') != std::string_view::npos; }

void check_pattern_subject(const FlowSchema& schema, const Subject& subject, const std::string& field,
                           Findings& findings) {
  const bool is_user = subject.kind == "User" && subject.user, is_group = subject.kind == "Group" && subject.group;
  if (!is_user && !is_group) return;
  const std::string& name = is_user ? *subject.user : *subject.group;
  // Rule service-account-as-user says more about those.
  if (!is_pattern(name) || name.starts_with(kServiceAccountPrefix)) return;
  Diagnostic& d =
      findings.add(schema, field + (is_user ? ".user.name" : ".group.name"),
                   fmt::format("\"{}\" matches only a {} of exactly that name: \"*\" is a wildcard only by itself",
                               name, is_user ? "user" : "group"));
  if (name == "system:*")
    d.notes.push_back({"there is no group of all system users; list the groups or users that you mean", {}});
  if (name.starts_with("system:node:")) d.notes.push_back({"all kubelets are in the group system:nodes", {}});
}

void check_patterns(const LintContext& context, const ResourceRuleEntry& of, Findings& findings) {
  const auto& [schema, number, rule, field] = of;
  for (std::size_t i = 0; i < rule.resources.size(); ++i) {
    const std::string& entry = rule.resources[i];
    if (!is_pattern(entry)) continue;
    const std::string at = item_field(field + ".resources", i);
    Diagnostic& d = findings.add(
        schema, at,
        fmt::format("\"{}\" matches no request: \"*\" is a wildcard only when it is the whole list", entry));
    if (entry == "*/*" && rule.resources.size() == 1) {
      d.notes.push_back({"\"*\" alone covers all resources and their subresources", {}});
      offer_fix(d, "replace it with \"*\"", false, replace_scalar(*schema.meta.source.tree, at, "*"));
    } else if (subresource_of(entry) == "*") {
      const std::vector<const ApiResource*> known = built_in_resources(rule, entry);
      const std::string status = fmt::format("{}/status", resource_of(entry));
      if (!known.empty()) d.witness = missed_by(context, schema, number, request_of(rule, known[0]->group, status));
      d.notes.push_back(
          {fmt::format("list each subresource that you mean, such as \"{}/status\"", resource_of(entry)), {}});
    } else if (resource_of(entry) == "*") {
      d.notes.push_back({"unlike RBAC, flow control has no way to say \"this subresource of any resource\"", {}});
    }
  }
  for (std::size_t i = 0; i < rule.api_groups.size(); ++i) {
    if (!is_pattern(rule.api_groups[i])) continue;
    findings.add(schema, item_field(field + ".apiGroups", i),
                 fmt::format("\"{}\" isn't an API group: \"*\" is a wildcard only when it is the whole list",
                             rule.api_groups[i]));
  }
}

void check_literal_wildcard(const LintContext& context, Findings& findings) {
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    for (std::size_t i = 0; i < schema.rules.size(); ++i) {
      const std::vector<Subject>& subjects = schema.rules[i].subjects;
      for (std::size_t j = 0; j < subjects.size(); ++j)
        check_pattern_subject(schema, subjects[j], subject_field(i, j), findings);
    }
  }
  for_each_resource_rule(context, [&](const ResourceRuleEntry& of) { check_patterns(context, of, findings); });
}

}  // namespace

extern const Rule rule_literal_wildcard = {
    .code = "APF210",
    .name = "literal-wildcard",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = R"(a "*" inside a name is compared literally)",
    .what = R"(The name of a user, group, API group or resource has a "*" among other characters: pods/*, */scale,
team-*, *.example.com.)",
    .why = R"(The server compares these names for equality. Only a list that is exactly one "*", or a subject whose
name is "*", matches everything. The entry looks like a pattern, but matches nothing that exists.)",
    .example = R"(resourceRules:
- verbs: ["*"]
  apiGroups: [""]
  resources: ["pods/*"]
  namespaces: ["*"]
)",
    .instead = R"(resourceRules:
- verbs: ["*"]
  apiGroups: [""]
  resources: ["pods", "pods/status", "pods/eviction"]
  namespaces: ["*"]
)",
    .check = check_literal_wildcard,
};

}  // namespace apf
