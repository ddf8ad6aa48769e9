// APF709: several quotas of one namespace that select the same objects.
#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "lint/quota_keys.h"

namespace apf {

namespace {

bool share_a_key(const ResourceQuota& a, const ResourceQuota& b) {
  return std::any_of(a.spec.hard.begin(), a.spec.hard.end(), [&](const auto& of_a) {
    return std::any_of(b.spec.hard.begin(), b.spec.hard.end(),
                       [&](const auto& of_b) { return full_name(of_a.first) == full_name(of_b.first); });
  });
}

void check_two_quotas(const LintContext& context, Findings& findings) {
  std::map<std::pair<std::string, std::set<std::string>>, const ResourceQuota*> first;
  for (const ResourceQuota& quota : context.loaded.resource_quotas) {
    const auto [at, fresh] = first.emplace(std::pair(place_of(quota.meta, quota.ns), scope_terms(quota)), &quota);
    // What limits the same resource twice has findings of its own.
    if (fresh || share_a_key(*at->second, quota)) continue;
    const std::string& other = at->second->meta.name;
    Diagnostic& d = findings.add(
        quota, "metadata.name",
        fmt::format("ResourceQuota \"{}\" covers the same objects of this namespace: one quota could have the keys of "
                    "both",
                    other));
    d.notes.push_back(
        {"the server asks the quotas of a namespace in no certain order: what exceeds both is refused in "
         "the name of either",
         {}});
    d.notes.push_back(
        {"it changes their status one after the other: when the second change fails, the first stays "
         "until the quota controller recounts",
         {}});
    d.notes.push_back(note_at(at->second->meta, "metadata.name", "the other one is here"));
  }
}

}  // namespace

extern const Rule rule_two_quotas = {
    .code = "APF709",
    .name = "two-quotas",
    .severity = Severity::info,
    .group = RuleGroup::resource_quota,
    .summary = "two quotas of a namespace cover the same objects",
    .what = R"(Two ResourceQuotas of one namespace have the same scopes, or none, and limit different resources. Quotas
whose scopes differ aren't reported.)",
    .why = R"(An object must fit into all quotas of its namespace. The server asks them in no certain order, and
updates the status of each on its own, which takes longer and isn't atomic: a request that fails half-way leaves one
quota with too much usage until the quota controller recounts. The design of ResourceQuota encourages one document for a
namespace.)",
    .example = R"(apiVersion: v1
kind: ResourceQuota
metadata: {name: compute, namespace: team-a}
spec:
  hard: {requests.cpu: "4"}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: objects, namespace: team-a}
spec:
  hard: {pods: "10"}
)",
    .instead = R"(spec:
  hard: {requests.cpu: "4", pods: "10"}
)",
    .check = check_two_quotas,
};

}  // namespace apf
