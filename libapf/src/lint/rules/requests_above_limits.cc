// APF703: more requests than limits, in one quota or in two of a namespace.
#include <fmt/core.h>

#include "lint/namespace_limits.h"
#include "lint/quota_keys.h"

namespace apf {

namespace {

void check_requests(const NamespaceLimits& limits, const ResourceQuota& quota, Findings& findings) {
  for (const auto& [key, amount] : quota.spec.hard) {
    // Only these must be specified by every container, so that the sum of limits bounds the sum of requests.
    const std::string name = full_name(key);
    if (name != "requests.cpu" && name != "requests.memory") continue;
    const QuotaEntry bound = least_amount(limits, quota, "limits" + name.substr(name.find('.')));
    if (!bound.quota || amount <= *bound.amount) continue;
    const std::string other =
        bound.quota == &quota ? "" : fmt::format(" of ResourceQuota \"{}\"", bound.quota->meta.name);
    Diagnostic& d = add_at_key(findings, quota, key,
                               fmt::format("{} {} can never be used up: {} {}{} is reached first, since no container "
                                           "requests more than its limit",
                                           key, amount.str(), bound.key, bound.amount->str(), other));
    d.notes.push_back(note_at(bound.quota->meta, hard_field(bound.key), "the limits are here"));
    d.notes.push_back(
        smallest_change(fmt::format("{}: {}, or {}: {}", key, bound.amount->str(), bound.key, amount.str())));
  }
}

void check_requests_above_limits(const LintContext& context, Findings& findings) {
  for (const NamespaceLimits& limits : namespaces_of(context.loaded))
    for (const ResourceQuota* quota : limits.quotas) check_requests(limits, *quota, findings);
}

}  // namespace

extern const Rule rule_requests_above_limits = {
    .code = "APF703",
    .name = "requests-above-limits",
    .severity = Severity::warning,
    .group = RuleGroup::resource_quota,
    .summary = "a quota allows more requests than limits",
    .what = R"(requests.cpu (or cpu) is larger than limits.cpu, or requests.memory (or memory) is larger than
limits.memory, in the same quota or in another one of the namespace that counts the same objects.)",
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
