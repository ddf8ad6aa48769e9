// APF703: more requests than limits in one quota.
#include <fmt/core.h>

#include "lint/quota_keys.h"

namespace apf {

namespace {

void check_requests_above_limits(const LintContext& context, Findings& findings) {
  for (const ResourceQuota& quota : context.loaded.resource_quotas) {
    for (const auto& [key, amount] : quota.spec.hard) {
      // Only these must be specified by every container, so that the sum of limits bounds the sum of requests.
      const std::string name = full_name(key);
      if (name != "requests.cpu" && name != "requests.memory") continue;
      const std::string limits_key = "limits" + name.substr(name.find('.'));
      const auto limits = quota.spec.hard.find(limits_key);
      if (limits == quota.spec.hard.end() || amount <= limits->second) continue;
      Diagnostic& d =
          add_at_key(findings, quota, key,
                     fmt::format("{} {} can never be used up: {} {} is reached first, since no container requests more "
                                 "than its limit",
                                 key, amount.str(), limits_key, limits->second.str()));
      d.notes.push_back(note_at(quota.meta, hard_field(limits_key), "the limits are here"));
    }
  }
}

}  // namespace

extern const Rule rule_requests_above_limits = {
    .code = "APF703",
    .name = "requests-above-limits",
    .severity = Severity::warning,
    .group = RuleGroup::resource_quota,
    .summary = "a quota allows more requests than limits",
    .what = R"(requests.cpu (or cpu) is larger than limits.cpu, or requests.memory (or memory) is larger than
limits.memory.)",
    .why = R"(With a quota on limits, every container must have a limit, and no container may request more than its
limit. So the sum of requests never exceeds the sum of limits, and the larger number limits nothing. Usually the two
were swapped.)",
    .example = R"(apiVersion: v1
kind: ResourceQuota
metadata:
  name: compute
  namespace: team-a
spec:
  hard:
    requests.cpu: "8"
    limits.cpu: "4"
)",
    .instead = R"(spec:
  hard:
    requests.cpu: "4"
    limits.cpu: "8"
)",
    .check = check_requests_above_limits,
};

}  // namespace apf
