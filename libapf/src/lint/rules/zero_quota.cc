// APF705: a quota of 0.
#include <algorithm>

#include <fmt/core.h>

#include "base/joined.h"
#include "lint/quota_keys.h"

namespace apf {

namespace {

void check_zero_quota(const LintContext& context, Findings& findings) {
  for (const ResourceQuota& quota : context.loaded.resource_quotas) {
    if (!scope_terms(quota).empty()) continue;  // the way to forbid what the scopes select
    std::vector<std::string> keys;
    for (const auto& [key, amount] : quota.spec.hard) {
      if (amount.is_zero() && is_valid_key(key) && !counts_nothing(key, context.options.version)) keys.push_back(key);
    }
    if (keys.empty()) continue;
    const auto line_of = [&](const std::string& key) { return quota.meta.source.span_of(hard_field(key)).line; };
    std::stable_sort(keys.begin(), keys.end(),
                     [&](const std::string& a, const std::string& b) { return line_of(a) < line_of(b); });
    findings.add(
        quota, hard_field(keys.front()),
        fmt::format("0 forbids all {}: nothing that needs any can be created in this namespace", joined(keys, ", ")));
  }
}

}  // namespace

extern const Rule rule_zero_quota = {
    .code = "APF705",
    .name = "zero-quota",
    .severity = Severity::info,
    .group = RuleGroup::resource_quota,
    .summary = "a quota of 0 forbids a resource altogether",
    .what =
        "Amounts in spec.hard are 0, in a quota without scopes. With scopes, 0 is how pods of a scope are forbidden.",
    .why = R"(That is a good way to forbid something, such as services.nodeports. The severity is info, because an
amount that a template left out or cleared looks the same. Objects that exist already stay.)",
    .example = R"(apiVersion: v1
kind: ResourceQuota
metadata:
  name: objects
  namespace: team-a
spec:
  hard:
    services.nodeports: "0"
)",
    .instead = "If it is intended, keep it with a comment: # apfctl: ignore[APF705] -- no node ports here",
    .check = check_zero_quota,
};

}  // namespace apf
