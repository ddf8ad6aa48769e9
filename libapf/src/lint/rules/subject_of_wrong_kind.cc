// APF224: a system group written as a user, or a system user as a group.
#include <fmt/core.h>

#include "base/identities.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"
#include "lint/system_names.h"

namespace apf {

namespace {

void check_user(const FlowSchema& schema, const std::string& name, const std::string& field, Findings& findings) {
  if (!is_system_name(NameKind::group, name)) return;
  Diagnostic& d =
      findings.add(schema, field + ".user.name", fmt::format("\"{}\" is a group: no user has that name", name));
  offer_fix(d, "make it a Group", false, change_subject_kind(schema, field, "Group"));
}

// The user name of service accounts without a name, or without both, was meant to be their group.
void report_accounts(const FlowSchema& schema, const std::string& name, const std::string& field, Findings& findings) {
  std::string_view ns = std::string_view(name).substr(kServiceAccountPrefix.size());
  while (ns.ends_with(':')) ns.remove_suffix(1);
  if (ns.find(':') != std::string_view::npos || ns.find('*') != std::string_view::npos) ns = {};
  const std::string group =
      ns.empty() ? std::string(kServiceAccountsGroup) : fmt::format("{}{}", kNamespaceGroupPrefix, ns);
  const std::string at = field + ".group.name";
  Diagnostic& d = findings.add(schema, at,
                               fmt::format("no group is named \"{}\": {} are the group \"{}\"", name,
                                           ns.empty() ? std::string("all service accounts")
                                                      : fmt::format("the service accounts of namespace \"{}\"", ns),
                                           group));
  offer_fix(d, fmt::format("replace it with \"{}\"", group), false,
            replace_scalar(*schema.meta.source.tree, at, group));
}

void check_group(const FlowSchema& schema, const std::string& name, const std::string& field, Findings& findings) {
  if (is_system_name(NameKind::user, name)) {
    Diagnostic& d =
        findings.add(schema, field + ".group.name", fmt::format("\"{}\" is a user: no group has that name", name));
    offer_fix(d, "make it a User", false, change_subject_kind(schema, field, "User"));
  } else if (name.starts_with(kServiceAccountPrefix)) {
    report_accounts(schema, name, field, findings);
  }
}

void check_subject_of_wrong_kind(const LintContext& context, Findings& findings) {
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    for (std::size_t i = 0; i < schema.rules.size(); ++i) {
      for (std::size_t j = 0; j < schema.rules[i].subjects.size(); ++j) {
        const Subject& subject = schema.rules[i].subjects[j];
        const std::string field = subject_field(i, j);
        if (subject.kind == "User" && subject.user) check_user(schema, *subject.user, field, findings);
        else if (subject.kind == "Group" && subject.group) check_group(schema, *subject.group, field, findings);
      }
    }
  }
}

}  // namespace

extern const Rule rule_subject_of_wrong_kind = {
    .code = "APF224",
    .name = "subject-of-wrong-kind",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "a system group is written as a user, or a system user as a group",
    .what = R"(A subject of kind User names a group of Kubernetes itself (system:authenticated, system:nodes,
system:serviceaccounts:NS, …). Or a subject of kind Group names a user of Kubernetes itself (system:kube-scheduler,
system:node:…, system:serviceaccount:NS:NAME), or begins like one (system:serviceaccount:NS).)",
    .why = "Users and groups have separate names. The subject matches nobody.",
    .example = R"(subjects:
- kind: User
  user: {name: "system:nodes"}
)",
    .instead = R"(subjects:
- kind: Group
  group: {name: "system:nodes"}
)",
    .check = check_subject_of_wrong_kind,
};

}  // namespace apf
