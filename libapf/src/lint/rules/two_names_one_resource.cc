// APF704: cpu and requests.cpu, which are the same, with different amounts.
#include <fmt/format.h>

#include "lint/quota_keys.h"

namespace apf {

namespace {

void check(const LintContext& context, Findings& findings) {
  for (const ResourceQuota& quota : context.loaded.resource_quotas) {
    for (const auto& [key, amount] : quota.spec.hard) {
      const std::string name = full_name(key);
      if (name == key) continue;
      const auto other = quota.spec.hard.find(name);
      if (other == quota.spec.hard.end() || other->second == amount) continue;
      const bool smaller = amount < other->second;
      Diagnostic& d = add_at_key(
          findings, quota, smaller ? name : key,
          fmt::format("{} and {} are the same resource: {} is never reached, because {} is", key, name,
                      smaller ? other->second.str() : amount.str(), smaller ? amount.str() : other->second.str()));
      d.notes.push_back(note_at(quota.meta, hard_field(smaller ? key : name), "the smaller amount is here"));
    }
  }
}

}  // namespace

extern const Rule rule_two_names_one_resource = {
    .code = "APF704",
    .name = "two-names-one-resource",
    .severity = Severity::warning,
    .group = RuleGroup::resource_quota,
    .summary = "one resource is limited under two names, differently",
    .what = R"(spec.hard has both cpu and requests.cpu, or memory and requests.memory, ephemeral-storage,
hugepages-SIZE likewise, with different amounts.)",
    .why = R"(The two names mean the same sum of requests. The smaller amount holds, and whoever raises the other one
wonders why nothing changes. Often limits.cpu was meant.)",
    .example = R"(apiVersion: v1
kind: ResourceQuota
metadata:
  name: compute
  namespace: team-a
spec:
  hard:
    cpu: "8"
    requests.cpu: "4"
)",
    .instead = R"(spec:
  hard:
    requests.cpu: "4"
    limits.cpu: "8"
)",
    .check = check,
};

}  // namespace apf
