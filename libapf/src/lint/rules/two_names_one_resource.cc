// APF704: cpu and requests.cpu, which are the same, with different amounts.
#include <fmt/core.h>

#include "lint/quota_keys.h"

namespace apf {

namespace {

void check_two_names_one_resource(const LintContext& context, Findings& findings) {
  for (const ResourceQuota& quota : context.loaded.resource_quotas) {
    for (const auto& [key, amount] : quota.spec.hard) {
      const std::string name = full_name(key);
      if (name == key) continue;
      const auto other = quota.spec.hard.find(name);
      if (other == quota.spec.hard.end() || other->second == amount) continue;
      const bool smaller = amount < other->second;
      Diagnostic& d = add_at_key(
          findings, quota, smaller ? name : key,
          fmt::format("{} and {} are the same resource: {} is never reached, because {} is reached first", key, name,
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
    .summary = "a quota limits one resource under two names, with different amounts",
    .what = R"(spec.hard has both cpu and requests.cpu, or the same pair for memory, ephemeral-storage or
hugepages-SIZE, with different amounts.)",
    .why = R"(The two names mean the same sum of requests. The smaller amount applies, and raising the other one
changes nothing. Often limits.cpu was meant.)",
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
    .check = check_two_names_one_resource,
};

}  // namespace apf
