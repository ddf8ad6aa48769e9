// APF952: a rule of an audit policy that an earlier one leaves nothing to.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "lint/given_schemas.h"
#include "lint/rule.h"

namespace apf {

namespace {

using Names = std::vector<std::string>;

// Whether every value that `narrow` lets pass, `wide` does, too; an empty list lets all pass.
template <class Covers>
bool lets_pass(const Names& wide, const Names& narrow, Covers covers) {
  if (wide.empty()) return true;
  return !narrow.empty() && std::all_of(narrow.begin(), narrow.end(), [&](const std::string& one) {
    return std::any_of(wide.begin(), wide.end(), [&](const std::string& other) { return covers(other, one); });
  });
}

bool same(const std::string& wide, const std::string& narrow) { return wide == narrow; }

bool covers_path(const std::string& wide, const std::string& narrow) {
  if (wide == narrow || wide == "*" || wide == "/*") return true;  // every path begins with a slash
  const std::string_view prefix = std::string_view(wide).substr(0, wide.size() - 1);
  return wide.ends_with('*') && narrow.starts_with(prefix);
}

// "*", "pods/*" (pods itself included), "*/status".
bool covers_resource(const std::string& wide, const std::string& narrow) {
  if (wide == narrow || wide == "*") return true;
  const std::string_view resource = resource_of(narrow), subresource = subresource_of(narrow);
  if (narrow == "*") return false;
  if (wide.ends_with("/*")) return resource != "*" && resource == resource_of(wide);
  return wide.starts_with("*/") && subresource != "*" && subresource == subresource_of(wide);
}

// One resource of a group, of one name or of any.
struct NarrowResource {
  const std::string& group;
  const std::string& resource;
  const std::string* name;
};

bool covers_one(const AuditResources& wide, const NarrowResource& narrow) {
  if (wide.group != "*" && wide.group != narrow.group) return false;
  if (wide.resources.empty()) return true;  // whatever the names
  if (!wide.resource_names.empty() && (!narrow.name || !holds(wide.resource_names, *narrow.name))) return false;
  return std::any_of(wide.resources.begin(), wide.resources.end(),
                     [&](const std::string& one) { return covers_resource(one, narrow.resource); });
}

// Each resource and name that `narrow` lists is an entry's of `wide`.
bool covers_resources(const std::vector<AuditResources>& wide, const AuditResources& narrow) {
  const Names resources = narrow.resources.empty() ? Names{"*"} : narrow.resources;
  const Names& names = narrow.resource_names;
  const bool named = !narrow.resources.empty() && !names.empty();
  for (const std::string& resource : resources) {
    for (std::size_t i = 0; i < (named ? names.size() : 1); ++i) {
      const NarrowResource one{narrow.group, resource, named ? &names[i] : nullptr};
      if (std::none_of(wide.begin(), wide.end(), [&](const AuditResources& entry) { return covers_one(entry, one); }))
        return false;
    }
  }
  return true;
}

bool is_for_resources(const AuditRule& rule) { return !rule.namespaces.empty() || !rule.resources.empty(); }

bool covers_targets(const AuditRule& wide, const AuditRule& narrow) {
  if (is_for_resources(wide)) {
    if (!is_for_resources(narrow) || !lets_pass(wide.namespaces, narrow.namespaces, same)) return false;
    return wide.resources.empty() ||
           (!narrow.resources.empty() &&
            std::all_of(narrow.resources.begin(), narrow.resources.end(),
                        [&](const AuditResources& one) { return covers_resources(wide.resources, one); }));
  }
  if (wide.non_resource_urls.empty()) return true;
  return !is_for_resources(narrow) && lets_pass(wide.non_resource_urls, narrow.non_resource_urls, covers_path);
}

// Every user is in one of these two groups.
bool is_for_everybody(const Names& groups) {
  return groups.empty() || (holds(groups, "system:authenticated") && holds(groups, "system:unauthenticated"));
}

// Who is in any other group has been authenticated.
bool covers_groups(const Names& wide, const Names& narrow) {
  if (is_for_everybody(wide) || lets_pass(wide, narrow, same)) return true;
  return !narrow.empty() && std::all_of(narrow.begin(), narrow.end(), [&](const std::string& group) {
    return holds(wide, group) || (group != "system:unauthenticated" && holds(wide, "system:authenticated"));
  });
}

bool covers_rule(const AuditRule& wide, const AuditRule& narrow) {
  return lets_pass(wide.users, narrow.users, same) && covers_groups(wide.user_groups, narrow.user_groups) &&
         lets_pass(wide.verbs, narrow.verbs, same) && covers_targets(wide, narrow);
}

bool matches_everything(const AuditRule& rule) {
  return rule.users.empty() && is_for_everybody(rule.user_groups) && rule.verbs.empty() && !is_for_resources(rule) &&
         rule.non_resource_urls.empty();
}

void check_audit_rules(const AuditPolicy& policy, Findings& findings) {
  const std::vector<AuditRule>& rules = policy.rules;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const auto earlier = std::find_if(rules.begin(), rules.begin() + static_cast<std::ptrdiff_t>(i),
                                      [&](const AuditRule& rule) { return covers_rule(rule, rules[i]); });
    if (earlier == rules.begin() + static_cast<std::ptrdiff_t>(i)) continue;
    const auto number = static_cast<std::size_t>(earlier - rules.begin());
    const bool all = matches_everything(*earlier);
    const std::size_t others = all ? rules.size() - i - 1 : 0;
    Diagnostic& d =
        findings.add(policy.meta, "Policy", fmt::format("rules[{}]", i),
                     all ? fmt::format("no request reaches this rule{}: an earlier one matches all requests",
                                       others == 0   ? ""
                                       : others == 1 ? " and the one after it"
                                                     : fmt::format(" and the {} after it", others))
                         : "no request reaches this rule: an earlier one matches all of its requests");
    d.notes.push_back(note_at(policy.meta, fmt::format("rules[{}]", number),
                              fmt::format("this one, of level {}", to_string(earlier->level))));
    const bool alike = earlier->level == rules[i].level && earlier->omit_stages == rules[i].omit_stages;
    if (alike && others == 0) d.severity = Severity::info;
    if (all) return;
  }
}

void check_unreached_audit_rule(const LintContext& context, Findings& findings) {
  for (const AuditPolicy& policy : context.loaded.audit_policies) check_audit_rules(policy, findings);
}

}  // namespace

extern const Rule rule_unreached_audit_rule = {
    .code = "APF952",
    .name = "unreached-audit-rule",
    .severity = Severity::warning,
    .group = RuleGroup::audit_policies,
    .summary = "an earlier rule of the audit policy matches all requests of a rule",
    .what = R"(A rule comes after one that matches everything, or after one whose users, groups, verbs, namespaces,
resources and paths include its own. The severity is info if both rules say the same of the requests. Only pairs of
rules are compared, not what several earlier ones match together.)",
    .why = R"(The first rule that matches a request decides. The later one has no effect: what it should keep out of
the log is written, or what it should record is missing.)",
    .example = R"(apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- level: Metadata
  resources:
  - group: ""
- level: None
  resources:
  - group: ""
    resources: [events]
)",
    .instead = R"(rules:
- level: None
  resources:
  - group: ""
    resources: [events]
- level: Metadata
  resources:
  - group: ""
)",
    .check = check_unreached_audit_rule,
};

}  // namespace apf
