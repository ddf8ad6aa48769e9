// APF201: a FlowSchema for everybody that comes too late for service accounts.
#include <fmt/core.h>

#include "lint/given_schemas.h"
#include "lint/reach/reach.h"
#include "lint/reach/witness.h"
#include "lint/system_users.h"

namespace apf {

namespace {

constexpr const char* kTaker = "service-accounts";

bool takes_everything(const PolicyRule& rule) {
  for (const ResourceRule& part : rule.resource_rules) {
    if (is_any(part.verbs) && is_any(part.api_groups) && is_any(part.resources)) return true;
  }
  return false;
}

// A request of this rule by a service account, which service-accounts gets.
std::string lost_request(const LintContext& context, const User& account, std::uint32_t taker, std::uint32_t schema,
                         std::size_t rule) {
  const Reach& reach = context.reach();
  const auto [begin, end] = reach.index().parts_of(schema, static_cast<std::uint32_t>(rule));
  for (std::uint32_t part = begin; part < end; ++part) {
    std::size_t tries = kTriesPerPart;
    for (const RequestInfo& request : LikelyRequests(reach.index(), part)) {
      if (tries-- == 0) break;
      if (reach.first_match(account, request) != taker) continue;
      const std::string command = explain_command(account, request, context.reach().command_flags());
      if (!command.empty()) return command;
    }
  }
  return {};
}

void check_schema(const LintContext& context, const FlowSchema& schema, std::uint32_t taker, std::uint32_t index,
                  Findings& findings) {
  const Reach& reach = context.reach();
  const User account = system_user("system:serviceaccount:default:default", nullptr);
  for (std::size_t i = 0; i < schema.rules.size(); ++i) {
    const PolicyRule& rule = schema.rules[i];
    for (std::size_t j = 0; j < rule.subjects.size(); ++j) {
      // A subject that is dead as a whole is another rule's concern.
      if (!is_everybody(rule.subjects[j]) || !reach.of(index).rules[i].subjects[j]) continue;
      std::string witness = lost_request(context, account, taker, index, i);
      if (witness.empty()) continue;
      const FlowSchema& first = *reach.consulted()[taker];
      const bool tie = first.matching_precedence == schema.matching_precedence;
      Diagnostic& d =
          findings.add(schema, "spec.matchingPrecedence",
                       tie ? fmt::format("requests of service accounts never get here: \"{}\" has the same precedence "
                                         "{}, sorts first by name, and gets all of them",
                                         kTaker, first.matching_precedence)
                           : fmt::format("requests of service accounts never get here: \"{}\" comes first, at "
                                         "precedence {}, and gets all of them",
                                         kTaker, first.matching_precedence));
      d.notes.push_back(
          note_at(schema.meta, subject_field(i, j), fmt::format("{} includes them", to_words(rule.subjects[j]))));
      d.witness = std::move(witness);
      // "All the rest, of people" is a sensible thing to ask for behind service-accounts.
      if (!tie && takes_everything(rule)) d.severity = Severity::info;
      return;
    }
  }
}

void check_after_service_accounts(const LintContext& context, Findings& findings) {
  std::vector<const FlowSchema*> schemas;
  for (const FlowSchema* schema : own_schemas(context)) {
    if (!find_schema(context.builtins, schema->meta.name)) schemas.push_back(schema);
  }
  if (schemas.empty()) return;
  // If service-accounts itself has been changed, there is no finding.
  const FlowSchema *taker = find_schema(context.effective, kTaker), *built_in = find_schema(context.builtins, kTaker);
  if (!taker || !built_in) return;
  FlowSchema as_built_in = *built_in;
  as_built_in.priority_level = taker->priority_level;
  as_built_in.distinguisher_method = taker->distinguisher_method;
  as_built_in.matching_precedence = taker->matching_precedence;
  if (!equal_specs(*taker, as_built_in)) return;
  for (const FlowSchema* schema : schemas) {
    if (schema->matching_precedence < taker->matching_precedence) continue;
    const Reach& reach = context.reach();
    const std::optional<std::uint32_t> index = reach.index_of(schema->meta.name), first = reach.index_of(kTaker);
    if (index && first && *first < *index) check_schema(context, *schema, *first, *index, findings);
  }
}

}  // namespace

extern const Rule rule_after_service_accounts = {
    .code = "APF201",
    .name = "after-service-accounts",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "a FlowSchema for all users comes after service-accounts",
    .what = R"(A FlowSchema with the subject system:authenticated or "*" comes after the built-in FlowSchema
service-accounts (precedence 9000; at equal precedence the names decide). If the FlowSchema matches all that is left
of every kind of request, the severity is info, since it may be meant for people only.)",
    .why = R"(service-accounts gets all requests of all service accounts, so controllers, operators and jobs never
reach the level that is meant for them.)",
    .example = R"(metadata:
  name: visibility
spec:
  matchingPrecedence: 9000
  rules:
  - subjects:
    - kind: Group
      group: {name: "system:authenticated"}
    resourceRules:
    - verbs: ["*"]
      apiGroups: [visibility.example.com]
      resources: ["*"]
      namespaces: ["*"]
)",
    .instead = R"(spec:
  matchingPrecedence: 8900
)",
    .check = check_after_service_accounts,
};

}  // namespace apf
