// APF237: characters in names that no reader sees, or takes for others.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <utility>

#include <apf/classify.h>
#include <fmt/core.h>

#include "lint/fix_edits.h"
#include "lint/given_schemas.h"
#include "lint/missed_request.h"
#include "lint/reach/reach.h"
#include "lint/reach/witness.h"
#include "lint/unseen.h"

namespace apf {

namespace {

// The rule as its author reads it.
PolicyRule as_read(PolicyRule rule) {
  const auto read = [](std::string& text) {
    const Unseen unseen = unseen_in(text);
    if (!unseen.what.empty() && !unseen.meant.empty()) text = unseen.meant;
  };
  const auto read_all = [&](std::vector<std::string>& texts) { std::for_each(texts.begin(), texts.end(), read); };
  for (Subject& subject : rule.subjects) {
    if (subject.user) read(*subject.user);
    if (subject.group) read(*subject.group);
    if (subject.service_account) read(subject.service_account->ns);
    if (subject.service_account) read(subject.service_account->name);
  }
  for (ResourceRule& part : rule.resource_rules)
    for (auto* list : {&part.verbs, &part.api_groups, &part.resources, &part.namespaces}) read_all(*list);
  for (NonResourceRule& part : rule.non_resource_rules)
    for (auto* list : {&part.verbs, &part.urls}) read_all(*list);
  return rule;
}

// A request that the rule seems to match, and does not. Empty: none was found.
std::string witness_of(const LintContext& context, const FlowSchema& schema, std::size_t rule) {
  const PolicyRule meant = as_read(schema.rules[rule]);
  std::vector<RequestInfo> requests;
  for (const ResourceRule& part : meant.resource_rules)
    for (const std::string& resource : part.resources)
      if (!part.api_groups.empty())
        requests.push_back(
            request_of(part, is_any(part.api_groups) ? "" : part.api_groups[0], resource == "*" ? "pods" : resource));
  for (const NonResourceRule& part : meant.non_resource_rules) {
    for (const std::string& url : part.urls) {
      ParsedRequest parsed;
      parse_request("GET", url == "*" ? "/healthz" : url, parsed);
      if (parsed.error().empty()) requests.push_back(parsed.info);
    }
  }
  for (const RequestInfo& request : requests) {
    for (const Subject& subject : meant.subjects) {
      for (const ReachUser& user : context.reach().index().least_users(subject)) {
        if (matches_flow_schema(schema, request, user.user)) continue;
        const std::string command = explain_command(user.user, request, context.reach().command_flags());
        if (!command.empty()) return command;
      }
    }
  }
  return {};
}

class UnseenCheck {
 public:
  UnseenCheck(const ObjectMeta& meta, const char* kind, Findings& findings,
              std::function<std::string(std::size_t)> witness)
      : meta_(meta), kind_(kind), findings_(findings), witness_(std::move(witness)) {}

  // `field` is that of the node.
  void look(const ConfigNode& node, const std::string& field) {
    if (node.is_string()) return look_at_text(node.text(), field);
    for (std::size_t i = 0; i < node.items().size(); ++i) look(node.items()[i], item_field(field, i));
    for (const ConfigEntry& entry : node.entries()) look(entry.value, fmt::format("{}.{}", field, entry.key.text()));
  }

 private:
  void look_at_text(std::string_view text, const std::string& field) {
    const Unseen unseen = unseen_in(text);
    if (unseen.what.empty()) return;
    Diagnostic& d = findings_.add(
        meta_, kind_, field,
        fmt::format("\"{}\" holds {}: names are compared byte for byte, and one without it does not match",
                    unseen.shown, unseen.what));
    constexpr std::string_view kRule = "spec.rules[";
    if (witness_ && field.starts_with(kRule))
      d.witness = witness_(std::strtoul(field.c_str() + kRule.size(), nullptr, 10));
    if (!unseen.meant.empty())
      offer_fix(d, fmt::format("replace it with \"{}\"", unseen.meant), false,
                replace_scalar(*meta_.source.tree, field, unseen.meant));
  }

  const ObjectMeta& meta_;
  const char* kind_;
  Findings& findings_;
  std::function<std::string(std::size_t)> witness_;  // of a rule; empty: there is none
};

void check_unseen_character(const LintContext& context, Findings& findings) {
  const auto look = [&](const ObjectMeta& meta, const char* kind, const char* field,
                        std::function<std::string(std::size_t)> witness = {}) {
    const ConfigNode* node = meta.source.tree ? meta.source.tree->find(field) : nullptr;
    if (node) UnseenCheck(meta, kind, findings, std::move(witness)).look(*node, field);
  };
  for (const FlowSchema& schema : context.loaded.config.flow_schemas)
    look(schema.meta, "FlowSchema", "spec", [&](std::size_t rule) { return witness_of(context, schema, rule); });
  for (const ResourceQuota& quota : context.loaded.resource_quotas) look(quota.meta, "ResourceQuota", "spec");
  for (const AuditPolicy& policy : context.loaded.audit_policies) look(policy.meta, "Policy", "rules");
}

}  // namespace

extern const Rule rule_unseen_character = {
    .code = "APF237",
    .name = "unseen-character",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "a name holds a character that no reader sees, or one that looks like another",
    .what = R"(A name, group, namespace, resource or path of a FlowSchema, a quota or an audit policy begins or ends
with a blank or in quotes of its own, holds white space other than blanks, a character that is not shown (U+200B,
U+FEFF, marks of direction), a Cyrillic or Greek letter in a word of Latin ones, a full-width one, or a dash that is no
hyphen. The finding names the code point.)",
    .why = R"(The server compares names byte for byte. The entry looks right and matches nothing; text that was copied
from a page or a chat often has such characters.)",
    .example = R"(subjects:
- kind: User
  user: {name: "ci-pilot "}
)",
    .instead = R"(subjects:
- kind: User
  user: {name: ci-pilot}
)",
    .check = check_unseen_character,
};

}  // namespace apf
