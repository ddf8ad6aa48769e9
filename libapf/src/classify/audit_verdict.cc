// What an audit policy does with a request (k8s.io/apiserver/pkg/audit/policy/checker.go, v1.36).
#include <apf/classify.h>

#include <algorithm>

namespace apf {

namespace {

bool holds(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool matches_path(std::string_view path, std::string_view pattern) {
  if (path == pattern || pattern == "*") return true;
  if (!pattern.ends_with('*')) return false;
  while (pattern.ends_with('*')) pattern.remove_suffix(1);
  return path.starts_with(pattern);
}

// "pods", "pods/log", "*", "*/log" or "pods/*", which is the resource itself, too.
bool matches_resource(std::string_view entry, const RequestInfo& request) {
  if (entry == "*") return true;
  const std::size_t slash = entry.find('/');
  if (slash == entry.npos) return request.subresource.empty() && entry == request.resource;
  const std::string_view resource = entry.substr(0, slash), subresource = entry.substr(slash + 1);
  if (!request.subresource.empty() && entry.starts_with("*/") && subresource == request.subresource) return true;
  if (entry.ends_with("/*") && entry.substr(0, entry.size() - 2) == request.resource) return true;
  return !request.subresource.empty() && resource == request.resource && subresource == request.subresource;
}

bool matches_resources(const AuditRule& rule, const RequestInfo& request) {
  if (!request.is_resource_request) return false;
  if (!rule.namespaces.empty() && !holds(rule.namespaces, request.ns)) return false;
  if (rule.resources.empty()) return true;
  return std::any_of(rule.resources.begin(), rule.resources.end(), [&](const AuditResources& of_group) {
    if (of_group.group != request.api_group && of_group.group != "*") return false;
    if (of_group.resources.empty()) return true;
    if (!of_group.resource_names.empty() && !holds(of_group.resource_names, request.name)) return false;
    return std::any_of(of_group.resources.begin(), of_group.resources.end(),
                       [&](const std::string& entry) { return matches_resource(entry, request); });
  });
}

bool matches(const AuditRule& rule, const RequestInfo& request, const User& user) {
  if (!rule.users.empty() && !holds(rule.users, user.name)) return false;
  if (!rule.user_groups.empty() && std::none_of(user.groups.begin(), user.groups.end(), [&](const std::string& group) {
        return holds(rule.user_groups, group);
      }))
    return false;
  if (!rule.verbs.empty() && !holds(rule.verbs, request.verb)) return false;
  if (!rule.namespaces.empty() || !rule.resources.empty()) return matches_resources(rule, request);
  if (rule.non_resource_urls.empty()) return true;
  return !request.is_resource_request &&
         std::any_of(rule.non_resource_urls.begin(), rule.non_resource_urls.end(),
                     [&](const std::string& pattern) { return matches_path(request.path, pattern); });
}

}  // namespace

AuditVerdict audit_verdict(const AuditPolicy& policy, const RequestInfo& request, const User& user) {
  for (std::size_t i = 0; i < policy.rules.size(); ++i) {
    const AuditRule& rule = policy.rules[i];
    if (matches(rule, request, user)) return {rule.level, i, rule.omit_stages};
  }
  return {AuditLevel::none, std::nullopt, policy.omit_stages};
}

}  // namespace apf
