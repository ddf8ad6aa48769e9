// APF235: leases of nodes in a namespace where nodes have none.
#include <algorithm>

#include "base/identities.h"
#include "base/text.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"
#include "lint/reach/reach.h"
#include "lint/reach/witness.h"
#include "lint/system_users.h"

namespace apf {

namespace {

constexpr std::string_view kLeaseNamespace = "kube-node-lease";

bool is_of_nodes(const Subject& subject) {
  return (subject.kind == "Group" && subject.group && *subject.group == kNodesGroup) ||
         (subject.kind == "User" && subject.user && subject.user->starts_with(kNodePrefix));
}

bool misses_leases(const ResourceRule& part) {
  return part.resources.size() == 1 && part.resources.front() == "leases" && !part.namespaces.empty() &&
         !is_one_of(part.namespaces, "*") && !is_one_of(part.namespaces, kLeaseNamespace);
}

void check_node_leases_elsewhere(const LintContext& context, Findings& findings) {
  for (const FlowSchema* schema : own_schemas(context)) {
    for (std::size_t i = 0; i < schema->rules.size(); ++i) {
      const PolicyRule& rule = schema->rules[i];
      if (rule.subjects.empty() || !std::all_of(rule.subjects.begin(), rule.subjects.end(), is_of_nodes)) continue;
      for (std::size_t j = 0; j < rule.resource_rules.size(); ++j) {
        if (!misses_leases(rule.resource_rules[j])) continue;
        const std::string field = resource_rule_field(i, j) + ".namespaces";
        Diagnostic& d =
            findings.add(*schema, field,
                         "nodes have leases in the namespace kube-node-lease only: none of their heartbeats "
                         "is matched");
        ParsedRequest renewal;
        parse_audited_request("update", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/any", renewal);
        d.witness =
            explain_command(system_user(kAnyNode, kNodesGroup.data()), renewal.info, context.reach().command_flags());
        if (rule.resource_rules[j].namespaces.size() == 1)
          offer_fix(d, "replace it with kube-node-lease", false,
                    replace_scalar(*schema->meta.source.tree, field + "[0]", std::string(kLeaseNamespace)));
      }
    }
  }
}

}  // namespace

extern const Rule rule_node_leases_elsewhere = {
    .code = "APF235",
    .name = "node-leases-elsewhere",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "leases of nodes are matched in a namespace where nodes have none",
    .what = R"(A rule for nodes alone (the group system:nodes, or users system:node:NAME) lists leases, and neither the
namespace kube-node-lease nor "*".)",
    .why = R"(The heartbeats of a node are updates of its lease in kube-node-lease; the server lets nodes touch no
other. The rule matches none of them, and they go to another FlowSchema.)",
    .example = R"(rules:
- subjects:
  - kind: Group
    group: {name: "system:nodes"}
  resourceRules:
  - verbs: ["*"]
    apiGroups: [coordination.k8s.io]
    resources: [leases]
    namespaces: [kube-system]
)",
    .instead = R"(resourceRules:
- verbs: ["*"]
  apiGroups: [coordination.k8s.io]
  resources: [leases]
  namespaces: [kube-node-lease]
)",
    .check = check_node_leases_elsewhere,
};

}  // namespace apf
