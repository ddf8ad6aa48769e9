#include "lint/platform.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/identities.h"
#include "lint/given_levels.h"
#include "lint/given_schemas.h"
#include "lint/reach/reach.h"
#include "lint/system_names.h"

namespace apf {

namespace {}  // namespace

bool is_platform_namespace(std::string_view ns) {
  return ns == "kube-system" || ns == "kube-public" || ns == "kube-node-lease" || ns == "openshift" ||
         ns.starts_with("openshift-");
}

bool is_platform_subject(const Subject& subject) {
  if (subject.kind == "ServiceAccount")
    return subject.service_account && is_platform_namespace(subject.service_account->ns);
  if (subject.kind == "Group" && subject.group) {
    const std::string_view group = *subject.group;
    if (group.starts_with(kNamespaceGroupPrefix))
      return is_platform_namespace(group.substr(kNamespaceGroupPrefix.size()));
    return group == kNodesGroup || group == "system:masters" || group == "system:bootstrappers" ||
           group == "system:node-proxier";
  }
  if (subject.kind != "User" || !subject.user) return false;
  const std::string_view user = *subject.user;
  if (user.starts_with(kServiceAccountPrefix)) {
    const std::string_view rest = user.substr(kServiceAccountPrefix.size());
    return is_platform_namespace(rest.substr(0, rest.find(':')));
  }
  return user != "system:anonymous" && user.starts_with("system:");
}

bool is_whole_kube_system(const Subject& subject) {
  if (subject.kind == "ServiceAccount")
    return subject.service_account && subject.service_account->ns == "kube-system" &&
           subject.service_account->name == "*";
  return subject.kind == "Group" && subject.group == "system:serviceaccounts:kube-system";
}

bool is_ordinary_crowd(const Subject& subject) { return is_crowd(subject) && !is_platform_subject(subject); }

const FlowSchema* ordinary_schema(const LintContext& context, std::string_view level) {
  for (const FlowSchema* schema : context.reach().consulted()) {
    if (schema->priority_level != level) continue;
    for (const PolicyRule& rule : schema->rules) {
      if (rule.resource_rules.empty()) continue;
      if (std::any_of(rule.subjects.begin(), rule.subjects.end(), is_ordinary_crowd)) return schema;
    }
  }
  return nullptr;
}

bool takes_all_resources(const PolicyRule& rule) {
  return std::any_of(rule.resource_rules.begin(), rule.resource_rules.end(), [](const ResourceRule& part) {
    return is_any(part.verbs) && is_any(part.api_groups) && is_any(part.resources);
  });
}

std::string seats_in_words(const LintContext& context, const std::string& level) {
  const LevelLimits* limits = limits_of(context.limits, level);
  if (!limits || limits->exempt) return "no limit";
  return fmt::format("{} ({})", count_of(limits->nominal_cl, "seat"), nominal_arithmetic(context, *limits));
}

}  // namespace apf
