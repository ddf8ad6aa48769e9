// APF702: count/ of a resource that does not exist under that name and group.
#include <fmt/core.h>

#include "lint/quota_keys.h"

namespace apf {

namespace {

void check_uncounted_object_count(const LintContext& context, Findings& findings) {
  for (const ResourceQuota& quota : context.loaded.resource_quotas) {
    for (const auto& [key, amount] : quota.spec.hard) {
      if (!is_object_count(key) || !is_valid_key(key)) continue;
      const std::string fault = object_count_fault(key, context.options.version);
      if (!fault.empty()) add_at_key(findings, quota, key, fmt::format("\"{}\" never counts anything: {}", key, fault));
    }
  }
}

}  // namespace

extern const Rule rule_uncounted_object_count = {
    .code = "APF702",
    .name = "uncounted-object-count",
    .severity = Severity::warning,
    .group = RuleGroup::resource_quota,
    .summary = "count/ is followed by a name that isn't a resource",
    .what = R"(The part after count/ isn't the plural of a resource, has the wrong group or none, or has a version; or
it is a name of its own, such as services.loadbalancers, which has no count/. Custom resources, which apfctl can't
know, aren't checked.)",
    .why = R"(The server accepts any name after count/. A quota counts objects as count/PLURAL in the core group and
count/PLURAL.GROUP in others, without a version. Under any other name it counts and limits nothing. Cluster-scoped
resources and events are never counted.)",
    .example = R"(apiVersion: v1
kind: ResourceQuota
metadata:
  name: objects
  namespace: team-a
spec:
  hard:
    count/deployments: "10"
)",
    .instead = R"(spec:
  hard:
    count/deployments.apps: "10"
)",
    .check = check_uncounted_object_count,
};

}  // namespace apf
