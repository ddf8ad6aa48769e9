// APF701: a resource with a group that no quota ever counts.
#include <fmt/core.h>

#include "lint/quota_keys.h"

namespace apf {

namespace {

void check_uncounted_quota_resource(const LintContext& context, Findings& findings) {
  for (const ResourceQuota& quota : context.loaded.resource_quotas) {
    for (const auto& [key, amount] : quota.spec.hard) {
      if (!is_valid_key(key)) continue;
      const std::string counted = counted_quota_name(key);
      if (!counted.empty())
        add_at_key(
            findings, quota, key,
            fmt::format("nothing is ever counted as \"{}\", so this limits nothing: write \"{}\"", key, counted));
    }
  }
}

}  // namespace

extern const Rule rule_uncounted_quota_resource = {
    .code = "APF701",
    .name = "uncounted-quota-resource",
    .severity = Severity::warning,
    .group = RuleGroup::resource_quota,
    .summary = "a quota limits a resource under a name that is never counted",
    .what = R"(A key of spec.hard is an extended resource without the prefix "requests." (nvidia.com/gpu) or with
"limits." (limits.nvidia.com/gpu), or something of a storage or device class that isn't counted.)",
    .why = R"(The server silently accepts any name with a slash. For extended resources, quotas count only requests,
since their requests and limits are always equal. The quota looks as if it limited something, but it doesn't.)",
    .example = R"(apiVersion: v1
kind: ResourceQuota
metadata:
  name: gpus
  namespace: ml
spec:
  hard:
    limits.nvidia.com/gpu: "4"
)",
    .instead = R"(spec:
  hard:
    requests.nvidia.com/gpu: "4"
)",
    .check = check_uncounted_quota_resource,
};

}  // namespace apf
