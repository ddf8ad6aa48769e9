// APF236: a FlowSchema for everybody that takes the requests of all service accounts from the one that is for them.
#include <algorithm>

#include <fmt/core.h>

#include "lint/given_levels.h"
#include "lint/given_schemas.h"
#include "lint/reach/reach.h"
#include "lint/reach/witness.h"
#include "lint/system_users.h"

namespace apf {

namespace {

constexpr const char* kServiceAccounts = "service-accounts";

// In a namespace and outside of all: what a rule for a part of the requests does not match in either.
bool takes_all(const FlowSchema& schema) {
  return std::any_of(schema.rules.begin(), schema.rules.end(), [](const PolicyRule& rule) {
    return std::any_of(rule.subjects.begin(), rule.subjects.end(), is_everybody) &&
           std::any_of(rule.resource_rules.begin(), rule.resource_rules.end(), [](const ResourceRule& part) {
             return is_any(part.verbs) && is_any(part.api_groups) && is_any(part.resources) && is_any(part.namespaces);
           });
  });
}

void check_before_service_accounts(const LintContext& context, Findings& findings) {
  const Reach& reach = context.reach();
  const std::optional<std::uint32_t> theirs = reach.index_of(kServiceAccounts);
  if (!theirs) return;
  const FlowSchema& own = *reach.consulted()[*theirs];
  const User account = system_user("system:serviceaccount:default:default", nullptr);
  ParsedRequest request;
  parse_audited_request("list", "/api/v1/namespaces/default/pods", request);
  const std::optional<std::uint32_t> taker = reach.first_match(account, request.info);
  if (!taker || *taker >= *theirs) return;
  for (const FlowSchema* schema : own_schemas(context)) {
    if (reach.index_of(schema->meta.name) != taker || schema->priority_level == own.priority_level) continue;
    const PriorityLevel* level = find_level(context.effective, schema->priority_level);
    if (!level || level->type == "Exempt" || !takes_all(*schema))
      return;  // a level that waits for nothing is another's
    Diagnostic& d = findings.add(
        *schema, "spec.matchingPrecedence",
        fmt::format(
            "comes before \"{}\" (precedence {}) and gets the requests of all service accounts: they share the {} of "
            "\"{}\", not the {} of \"{}\"",
            kServiceAccounts, own.matching_precedence, seats_in(context, schema->priority_level),
            schema->priority_level, seats_in(context, own.priority_level), own.priority_level));
    d.witness = explain_command(account, request.info, reach.command_flags());
    return;
  }
}

}  // namespace

extern const Rule rule_before_service_accounts = {
    .code = "APF236",
    .name = "before-service-accounts",
    .severity = Severity::info,
    .group = RuleGroup::precedence,
    .summary = "a FlowSchema for all users takes the requests of all service accounts",
    .what = R"(A FlowSchema whose subject is system:authenticated or "*" and whose rule matches everything in all
namespaces comes before the built-in FlowSchema service-accounts (precedence 9000), and has another level, which is not
exempt.)",
    .why = R"(Service accounts send most of a cluster's requests. All of them move to that level, beside the users
whom it is meant for, and the level of service-accounts, workload-low, with its many seats stays idle.)",
    .example = R"(metadata: {name: people}
spec:
  matchingPrecedence: 5000
  priorityLevelConfiguration: {name: global-default}
  rules:
  - subjects:
    - kind: Group
      group: {name: "system:authenticated"}
    resourceRules:
    - verbs: ["*"]
      apiGroups: ["*"]
      resources: ["*"]
      namespaces: ["*"]
)",
    .instead = R"(spec:
  matchingPrecedence: 9500
)",
    .check = check_before_service_accounts,
};

}  // namespace apf
