// APF716: a quota for best-effort Pods in a namespace in which another quota lets none of them be created.
#include <set>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "lint/namespace_limits.h"
#include "lint/quota_keys.h"

namespace apf {

namespace {

// The key by which a quota demands an amount of every container of every Pod; empty: it demands none.
std::string_view demanding_key(const ResourceQuota& quota) {
  if (!scope_terms(quota).empty()) return {};
  for (const auto& [key, amount] : quota.spec.hard) {
    const std::string full = full_name(key);
    for (const std::string_view name : {"requests.cpu", "requests.memory", "limits.cpu", "limits.memory"})
      if (full == name) return key;
  }
  return {};
}

void check_voided_quota(const LintContext& context, Findings& findings) {
  for (const NamespaceLimits& limits : namespaces_of(context.loaded)) {
    for (const ResourceQuota* quota : limits.quotas) {
      if (!scope_terms(*quota).contains("BestEffort Exists")) continue;
      for (const ResourceQuota* other : limits.quotas) {
        const std::string_view key = demanding_key(*other);
        if (key.empty()) continue;
        Diagnostic& d = findings.add(
            *quota, "spec",
            fmt::format("this quota counts best-effort Pods, and ResourceQuota \"{}\" lets none be created: its {} "
                        "demands an amount of every container",
                        other->meta.name, key));
        d.notes.push_back(note_at(other->meta, hard_field(key), "the demand is here"));
        d.notes.push_back({"containers that ask for an amount of 0 satisfy it, and their Pod stays best-effort", {}});
        d.notes.push_back(
            smallest_change(fmt::format("the scope NotBestEffort for \"{}\", or no quota here", other->meta.name)));
        break;
      }
    }
  }
}

}  // namespace

extern const Rule rule_voided_quota = {
    .code = "APF716",
    .name = "voided-quota",
    .severity = Severity::warning,
    .group = RuleGroup::resource_quota,
    .summary = "another quota of the namespace lets no Pod be created that this one counts",
    .what = R"(A ResourceQuota of the scope BestEffort stands beside one without scopes, in the same namespace, that
limits cpu or memory, by requests or limits. (Defaults of a LimitRange that do the same are the concern of APF712.))",
    .why = R"(A quota for cpu or memory demands an amount of every container that it counts. Without scopes it counts
all Pods: a Pod without amounts is refused, so there is no best-effort Pod to count.)",
    .example = R"(apiVersion: v1
kind: ResourceQuota
metadata: {name: compute, namespace: team-a}
spec:
  hard: {requests.cpu: "4"}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: small, namespace: team-a}
spec:
  hard: {pods: "10"}
  scopes: [BestEffort]
)",
    .instead = R"(apiVersion: v1
kind: ResourceQuota
metadata: {name: compute, namespace: team-a}
spec:
  hard: {requests.cpu: "4"}
  scopes: [NotBestEffort]
)",
    .check = check_voided_quota,
};

}  // namespace apf
