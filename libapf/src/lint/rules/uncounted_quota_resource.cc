// APF701: a resource with a group that no quota ever counts.
#include <fmt/core.h>

#include "lint/quota_keys.h"

namespace apf {

namespace {

constexpr std::string_view kStorageClass = ".storageclass.storage.k8s.io/",
                           kDeviceClass = ".deviceclass.resource.k8s.io/";

// The name under which it would be counted; empty where it is, or where another plugin may count it.
std::string counted_name(std::string_view key) {
  if (key.find('/') == key.npos || is_object_count(key) || key.starts_with("requests.") ||
      key.find("openshift.io/") != key.npos)
    return {};
  const std::string_view last = key.substr(key.find('/') + 1);
  const std::string prefix(key.substr(0, key.find('/') + 1));
  if (key.find(kStorageClass) != key.npos) {
    if (last == "persistentvolumeclaims" || last == "requests.storage") return {};
    return prefix + (last.find("storage") != last.npos ? "requests.storage" : "persistentvolumeclaims");
  }
  if (key.find(kDeviceClass) != key.npos) return last == "devices" ? std::string() : prefix + "devices";
  const std::string_view name = key.starts_with("limits.") ? key.substr(7) : key;
  return is_extended_resource(name) ? "requests." + std::string(name) : std::string();
}

void check_uncounted_quota_resource(const LintContext& context, Findings& findings) {
  for (const ResourceQuota& quota : context.loaded.resource_quotas) {
    for (const auto& [key, amount] : quota.spec.hard) {
      if (!is_valid_key(key)) continue;
      const std::string counted = counted_name(key);
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
