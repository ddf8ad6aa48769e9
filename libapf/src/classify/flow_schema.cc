// Mirrors k8s.io/apiserver/pkg/util/flowcontrol/rule.go (v1.36). Unindexed; the fast form is candidates.cc.
#include "classify/flow_schema.h"

#include <algorithm>

#include <apf/classify.h>

#include "base/identities.h"
#include "classify/dialect.h"

namespace apf {

bool is_any(const std::vector<std::string>& list) { return list.size() == 1 && list[0] == "*"; }

bool list_holds(const std::vector<std::string>& list, std::string_view text) {
  return is_any(list) || std::find(list.begin(), list.end(), text) != list.end();
}

bool subject_matches(const Subject& subject, const User& user) {
  if (subject.kind == "User") return subject.user && (*subject.user == "*" || *subject.user == user.name);
  if (subject.kind == "Group") {
    return subject.group && (*subject.group == "*" ||
                             std::find(user.groups.begin(), user.groups.end(), *subject.group) != user.groups.end());
  }
  if (subject.kind == "ServiceAccount" && subject.service_account) {
    const std::string prefix = std::string(kServiceAccountPrefix) + subject.service_account->ns + ':';
    if (subject.service_account->name == "*") return user.name.starts_with(prefix);
    return user.name == prefix + subject.service_account->name;
  }
  return false;
}

std::string joined_resource(const RequestInfo& info) {
  return info.subresource.empty() ? info.resource : info.resource + '/' + info.subresource;
}

ResourceRuleFields match_fields(const ResourceRule& rule, const RequestInfo& info) {
  return {.verb = list_holds(rule.verbs, info.verb),
          .group = list_holds(rule.api_groups, info.api_group),
          .resource = list_holds(rule.resources, joined_resource(info)),
          .ns = info.ns.empty() ? rule.cluster_scope : list_holds(rule.namespaces, info.ns)};
}

std::string url_prefix(std::string_view entry) {
  if (entry.ends_with('*')) entry.remove_suffix(1);
  std::string prefix(entry);
  if (!prefix.ends_with('/')) prefix += '/';
  return prefix;
}

NonResourceRuleFields match_fields(const NonResourceRule& rule, const RequestInfo& info) {
  const bool url = std::any_of(rule.urls.begin(), rule.urls.end(), [&](const std::string& entry) {
    return entry == "*" || entry == info.path || info.path.starts_with(url_prefix(entry));
  });
  return {.verb = list_holds(rule.verbs, info.verb), .url = url};
}

bool matches_flow_schema(const FlowSchema& schema, const RequestInfo& info, const User& user) {
  if (has_predicate(schema)) return predicate_matches(schema, info, user);
  return std::any_of(schema.rules.begin(), schema.rules.end(), [&](const PolicyRule& rule) {
    const auto accepts = [&](const auto& part) { return match_fields(part, info).all(); };
    return std::any_of(rule.subjects.begin(), rule.subjects.end(),
                       [&](const Subject& s) { return subject_matches(s, user); }) &&
           (info.is_resource_request
                ? std::any_of(rule.resource_rules.begin(), rule.resource_rules.end(), accepts)
                : std::any_of(rule.non_resource_rules.begin(), rule.non_resource_rules.end(), accepts));
  });
}

}  // namespace apf
