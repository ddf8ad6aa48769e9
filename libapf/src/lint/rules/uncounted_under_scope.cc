// APF707: a resource that is never counted under the quota's scopes.
#include <algorithm>

#include <fmt/core.h>

#include "lint/quota_keys.h"

namespace apf {

namespace {

enum class Counted { pods, claims, neither };

// Whose usage a key with a slash is part of. (Validation looks after the others.)
Counted counted_with(std::string_view key) {
  if (key == "count/pods" || key.starts_with("requests.")) return Counted::pods;
  if (key == "count/persistentvolumeclaims" || key.find(".storageclass.storage.k8s.io/") != key.npos)
    return Counted::claims;
  return Counted::neither;
}

std::vector<std::string> scopes_of(const ResourceQuota& quota) {
  std::vector<std::string> scopes = quota.spec.scopes;
  if (quota.spec.scope_selector)
    for (const ScopeRequirement& term : *quota.spec.scope_selector) scopes.push_back(term.scope_name);
  return scopes;
}

void check_uncounted_under_scope(const LintContext& context, Findings& findings) {
  for (const ResourceQuota& quota : context.loaded.resource_quotas) {
    for (const auto& [key, amount] : quota.spec.hard) {
      if (key.find('/') == key.npos || key.find("openshift.io/") != key.npos || !is_valid_key(key)) continue;
      const Counted counted = counted_with(key);
      for (const std::string& scope : scopes_of(quota)) {
        if (!is_quota_scope(scope)) continue;
        const Counted selects = scope == "VolumeAttributesClass" ? Counted::claims : Counted::pods;
        if (counted == selects) continue;
        add_at_key(findings, quota, key,
                   fmt::format("{} is never counted with the scope {}, which only {} have", key, scope,
                               selects == Counted::pods ? "pods" : "PersistentVolumeClaims"));
        break;
      }
    }
  }
}

}  // namespace

extern const Rule rule_uncounted_under_scope = {
    .code = "APF707",
    .name = "uncounted-under-scope",
    .severity = Severity::warning,
    .group = RuleGroup::resource_quota,
    .summary = "a quota's scope excludes what one of its keys counts",
    .what = R"(A quota with scopes or a scopeSelector limits count/ of something else than pods, or storage of a
class. (Validation already rejects the standard names, such as services and requests.storage.))",
    .why = R"(All scopes except VolumeAttributesClass select pods. Objects of other kinds match no scope, so a quota
with a scope never counts them: the server accepts the key, but it limits nothing.)",
    .example = R"(apiVersion: v1
kind: ResourceQuota
metadata:
  name: high
  namespace: team-a
spec:
  hard:
    pods: "10"
    count/deployments.apps: "5"
  scopeSelector:
    matchExpressions:
    - {scopeName: PriorityClass, operator: In, values: [high]}
)",
    .instead = "Put the count into its own quota, without scopes.",
    .check = check_uncounted_under_scope,
};

}  // namespace apf
