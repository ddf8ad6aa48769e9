// APF224: a system group written as a user, or a system user as a group.
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "lint/fix_edits.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

constexpr std::string_view kGroups[] = {"system:authenticated", "system:unauthenticated", "system:masters",
                                        "system:nodes",         "system:serviceaccounts", "system:bootstrappers",
                                        "system:monitoring"};
constexpr std::string_view kUsers[] = {"system:anonymous", "system:kube-scheduler", "system:kube-controller-manager",
                                       "system:kube-proxy", "system:apiserver"};

template <class Names>
bool is_one_of(const Names& names, std::string_view word) {
  return std::find(std::begin(names), std::end(names), word) != std::end(names);
}

bool is_system_group(std::string_view name) {
  return is_one_of(kGroups, name) || name.starts_with("system:serviceaccounts:");
}
bool is_system_user(std::string_view name) {
  return is_one_of(kUsers, name) || name.starts_with("system:serviceaccount:") || name.starts_with("system:node:");
}

// Kind and member change together, or nothing does.
void offer_other_kind(Diagnostic& d, const FlowSchema& schema, const std::string& field, const char* from,
                      const char* kind, const char* member) {
  const ConfigNode& root = *schema.meta.source.tree;
  std::vector<Edit> edits = replace_scalar(root, field + ".kind", kind),
                    key = rename_key(root, field + "." + from, member);
  if (edits.empty() || key.empty()) return;
  edits.insert(edits.end(), key.begin(), key.end());
  offer_fix(d, fmt::format("make it a {}", kind), false, std::move(edits));
}

void check(const LintContext& context, Findings& findings) {
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    for (std::size_t i = 0; i < schema.rules.size(); ++i) {
      for (std::size_t j = 0; j < schema.rules[i].subjects.size(); ++j) {
        const Subject& subject = schema.rules[i].subjects[j];
        const std::string field = subject_field(i, j);
        if (subject.kind == "User" && subject.user && is_system_group(*subject.user)) {
          Diagnostic& d = findings.add(schema, field + ".user.name",
                                       fmt::format("\"{}\" is a group: no user has that name", *subject.user));
          offer_other_kind(d, schema, field, "user", "Group", "group");
        } else if (subject.kind == "Group" && subject.group && is_system_user(*subject.group)) {
          Diagnostic& d = findings.add(schema, field + ".group.name",
                                       fmt::format("\"{}\" is a user: no group has that name", *subject.group));
          offer_other_kind(d, schema, field, "group", "User", "user");
        }
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
system:node:…, system:serviceaccount:NS:NAME).)",
    .why = "Users and groups have separate names. The subject matches nobody.",
    .example = R"(subjects:
- kind: User
  user: {name: "system:nodes"}
)",
    .instead = R"(subjects:
- kind: Group
  group: {name: "system:nodes"}
)",
    .check = check,
};

}  // namespace apf
