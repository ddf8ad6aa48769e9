// APF954: an audit policy that writes secrets into the log.
#include <algorithm>

#include <fmt/core.h>

#include "base/joined.h"
#include "lint/rule.h"

namespace apf {

namespace {

struct Sensitive {
  std::string_view group, resource, subresource;
  AuditLevel from;  // from this level on the event holds what is secret
  const char* what;
};
constexpr Sensitive kSensitive[] = {
    {"", "secrets", "", AuditLevel::request, "the contents of secrets"},
    {"authentication.k8s.io", "tokenreviews", "", AuditLevel::request, "the tokens of tokenreviews"},
    {"", "serviceaccounts", "token", AuditLevel::request_response, "the tokens of serviceaccounts/token"},
};

bool takes(const AuditResources& resources, const Sensitive& one) {
  if (resources.group != one.group) return false;
  if (resources.resources.empty()) return true;
  const std::string whole =
      std::string(one.resource) + (one.subresource.empty() ? "" : "/") + std::string(one.subresource);
  return std::any_of(resources.resources.begin(), resources.resources.end(), [&](const std::string& entry) {
    if (entry == "*" || entry == whole) return true;
    return !one.subresource.empty() &&
           (entry == fmt::format("{}/*", one.resource) || entry == fmt::format("*/{}", one.subresource));
  });
}

bool takes(const AuditRule& rule, const Sensitive& one) {
  if (rule.resources.empty()) return rule.non_resource_urls.empty();
  return std::any_of(rule.resources.begin(), rule.resources.end(),
                     [&](const AuditResources& resources) { return takes(resources, one); });
}

// Whatever the request is otherwise, the rule decides.
bool takes_all(const AuditRule& rule) {
  return rule.users.empty() && rule.user_groups.empty() && rule.verbs.empty() && rule.namespaces.empty() &&
         std::all_of(rule.resources.begin(), rule.resources.end(),
                     [](const AuditResources& resources) { return resources.resource_names.empty(); });
}

void check_secrets_in_audit_log(const LintContext& context, Findings& findings) {
  for (const AuditPolicy& policy : context.loaded.audit_policies) {
    std::vector<std::vector<std::string>> written(policy.rules.size());
    for (const Sensitive& one : kSensitive) {
      for (std::size_t i = 0; i < policy.rules.size(); ++i) {
        const AuditRule& rule = policy.rules[i];
        if (!takes(rule, one)) continue;
        if (rule.level >= one.from) written[i].emplace_back(one.what);
        if (takes_all(rule)) break;
      }
    }
    for (std::size_t i = 0; i < written.size(); ++i) {
      if (written[i].empty()) continue;
      Diagnostic& d = findings.add(
          policy.meta, "Policy", fmt::format("rules[{}].level", i),
          fmt::format("level {} writes {} into the log", to_string(policy.rules[i].level), joined(written[i], ", ")));
      d.notes.push_back({"before this rule, write one for these resources with level: Metadata", {}});
    }
  }
}

}  // namespace

extern const Rule rule_secrets_in_audit_log = {
    .code = "APF954",
    .name = "secrets-in-audit-log",
    .severity = Severity::warning,
    .group = RuleGroup::audit_policies,
    .summary = "an audit policy writes the contents of secrets or tokens into the log",
    .what = R"(A rule with level Request or RequestResponse decides about requests for secrets or tokenreviews, or one
with level RequestResponse about serviceaccounts/token, and no rule before it takes all of them.)",
    .why = R"(At these levels an event holds the object that is sent, or that is answered: passwords, keys and tokens.
Whoever reads the log, or the system that it is sent to, has them.)",
    .example = R"(apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- level: RequestResponse
)",
    .instead = R"(rules:
- level: Metadata
  resources:
  - {group: "", resources: [secrets, configmaps, serviceaccounts/token]}
  - {group: authentication.k8s.io, resources: [tokenreviews]}
- level: RequestResponse
)",
    .check = check_secrets_in_audit_log,
};

}  // namespace apf
