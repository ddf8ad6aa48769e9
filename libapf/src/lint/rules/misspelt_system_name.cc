// APF228: a name like those of Kubernetes' own users, groups and namespaces, which nobody has.
#include <fmt/core.h>

#include "base/identities.h"
#include "config/closest.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"
#include "lint/system_names.h"

namespace apf {

namespace {

void check_system_name(const FlowSchema& schema, const Subject& subject, const std::string& field, Findings& findings) {
  const bool is_user = subject.kind == "User" && subject.user, is_group = subject.kind == "Group" && subject.group;
  if (!is_user && !is_group) return;
  const NameKind kind = is_user ? NameKind::user : NameKind::group;
  const std::string& name = is_user ? *subject.user : *subject.group;
  const std::string at = fmt::format("{}.{}.name", field, is_user ? "user" : "group");
  if (const std::string right = with_meant_namespace(name); !right.empty()) {
    Diagnostic& d = findings.add(
        schema, at, fmt::format("\"{}\" has nearly a namespace of every cluster; {}", name, did_you_mean(right)));
    return offer_fix(d, fmt::format("replace it with \"{}\"", right), false,
                     replace_scalar(*schema.meta.source.tree, at, right));
  }
  // Rules service-account-as-user and subject-of-wrong-kind say more about those.
  if (is_user && name.starts_with(kServiceAccountPrefix)) return;
  const NameKind other = is_user ? NameKind::group : NameKind::user;
  if (is_system_name(other, name) || (is_group && name.starts_with(kServiceAccountPrefix))) return;
  const std::optional<MeantName> meant = meant_system_name(kind, name);
  if (!meant) return;
  const char *word = is_user ? "user" : "group", *meant_word = meant->kind == NameKind::user ? "user" : "group";
  Diagnostic& d = findings.add(
      schema, at,
      meant->severity == Severity::info
          ? fmt::format("Kubernetes has no {} \"{}\"; {}", word, name, did_you_mean(meant->name))
      : meant->kind == kind
          ? fmt::format("no {} is named \"{}\"; {}", word, name, did_you_mean(meant->name))
          : fmt::format("no {} is named \"{}\"; did you mean the {} \"{}\"?", word, name, meant_word, meant->name));
  d.severity = meant->severity;
  if (meant->of_role)
    d.notes.push_back({fmt::format("\"{}\" is a ClusterRole: FlowSchemas match users and groups, not what RBAC binds "
                                   "them to",
                                   name),
                       {}});
  if (meant->is_pattern) return;
  const ConfigNode& root = *schema.meta.source.tree;
  std::vector<Edit> edits = replace_scalar(root, at, meant->name);
  if (meant->kind != kind && !edits.empty()) {
    const std::vector<Edit> kinds =
        change_subject_kind(schema, field, meant->kind == NameKind::user ? "User" : "Group");
    if (kinds.empty()) return;
    edits.insert(edits.end(), kinds.begin(), kinds.end());
  }
  const bool changes_kind = meant->kind != kind;
  offer_fix(d,
            changes_kind ? fmt::format("make it the {} \"{}\"", meant_word, meant->name)
                         : fmt::format("replace it with \"{}\"", meant->name),
            false, std::move(edits));
}

// kubeadm and the providers run the control plane with certificates, whose users have names of their own.
void check_component_account(const FlowSchema& schema, const Subject& subject, const std::string& field,
                             Findings& findings) {
  constexpr std::pair<std::string_view, const char*> kUsers[] = {
      {"kube-controller-manager", "system:kube-controller-manager"},
      {"kube-scheduler", "system:kube-scheduler"},
      {"kube-apiserver", "system:apiserver"}};
  if (subject.kind != "ServiceAccount" || !subject.service_account || subject.service_account->ns != "kube-system")
    return;
  for (const auto& [name, user] : kUsers) {
    if (subject.service_account->name != name) continue;
    Diagnostic& d = findings.add(schema, field + ".serviceAccount.name",
                                 fmt::format("{} is the User \"{}\" in most clusters, which this ServiceAccount does "
                                             "not match",
                                             name, user));
    d.severity = Severity::info;
  }
}

void check_namespace(const ObjectMeta& meta, const char* kind, const std::string& field, std::string_view name,
                     Findings& findings) {
  const std::string_view meant = meant_system_namespace(name);
  if (meant.empty()) return;
  Diagnostic& d = findings.add(
      meta, kind, field, fmt::format("\"{}\" is nearly a namespace of every cluster; {}", name, did_you_mean(meant)));
  offer_fix(d, fmt::format("replace it with \"{}\"", meant), false, replace_scalar(*meta.source.tree, field, meant));
}

void check_misspelt_system_name(const LintContext& context, Findings& findings) {
  for (const ResourceQuota& quota : context.loaded.resource_quotas)
    check_namespace(quota.meta, "ResourceQuota", "metadata.namespace", quota.ns, findings);
  for (const LimitRange& range : context.loaded.limit_ranges)
    check_namespace(range.meta, "LimitRange", "metadata.namespace", range.ns, findings);
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    for_each_resource_rule(schema, [&](const ResourceRuleEntry& of) {
      for (std::size_t i = 0; i < of.part.namespaces.size(); ++i)
        check_namespace(schema.meta, "FlowSchema", item_field(of.field + ".namespaces", i), of.part.namespaces[i],
                        findings);
    });
    for (std::size_t i = 0; i < schema.rules.size(); ++i) {
      for (std::size_t j = 0; j < schema.rules[i].subjects.size(); ++j) {
        check_system_name(schema, schema.rules[i].subjects[j], subject_field(i, j), findings);
        check_component_account(schema, schema.rules[i].subjects[j], subject_field(i, j), findings);
        if (const auto& account = schema.rules[i].subjects[j].service_account)
          check_namespace(schema.meta, "FlowSchema", subject_field(i, j) + ".serviceAccount.namespace", account->ns,
                          findings);
      }
    }
  }
}

}  // namespace

extern const Rule rule_misspelt_system_name = {
    .code = "APF228",
    .name = "misspelt-system-name",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "a name is almost that of a user, group or namespace of Kubernetes itself",
    .what = R"(The name of a User or Group is one or two letters away from one that Kubernetes itself uses
(system:node for system:nodes, system:authenicated), it is one without its prefix or in other words (kube-scheduler or
system:scheduler for system:kube-scheduler), or it is the name of a ClusterRole (system:controller:job-controller,
system:discovery); or a namespace is one letter away from kube-system, kube-public, kube-node-lease or default. Other
names that begin with system: aren't reported: providers have some of their own. The severity is info where somebody may
have that name, and for a ServiceAccount of kube-system named as a component of the control plane: these have
certificates, and users of their own.)",
    .why = R"(The server compares names letter by letter. The subject matches nobody, and the requests that it is
meant for go to another FlowSchema; a quota holds in a namespace that is not there.)",
    .example = R"(subjects:
- kind: Group
  group: {name: "system:node"}
)",
    .instead = R"(subjects:
- kind: Group
  group: {name: "system:nodes"}
)",
    .check = check_misspelt_system_name,
};

}  // namespace apf
