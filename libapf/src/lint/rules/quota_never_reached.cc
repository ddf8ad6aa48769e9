// APF706: of two quotas that count the same objects, the one with the larger amount.
#include <algorithm>
#include <map>
#include <vector>

#include <fmt/core.h>

#include "lint/namespace_limits.h"
#include "lint/quota_keys.h"

namespace apf {

namespace {

// Whether `tight` is reached whenever `loose` would be: it counts at least the same objects, and has less room.
bool is_reached_first(const QuotaEntry& tight, const QuotaEntry& loose) {
  return *tight.amount <= *loose.amount && counts_all_of(*tight.quota, *loose.quota);
}

// The first entry that makes entry `i` pointless; null if there is none. Of two equal ones the first stays.
const QuotaEntry* reached_before(const std::vector<QuotaEntry>& entries, std::size_t i) {
  for (std::size_t j = 0; j < entries.size(); ++j) {
    if (entries[j].quota == entries[i].quota || !is_reached_first(entries[j], entries[i])) continue;
    if (j < i || !is_reached_first(entries[i], entries[j])) return &entries[j];
  }
  return nullptr;
}

void check_quota_never_reached(const LintContext& context, Findings& findings) {
  for (const NamespaceLimits& limits : namespaces_of(context.loaded)) {
    std::map<std::string, std::vector<QuotaEntry>> by_resource;
    for (const ResourceQuota* quota : limits.quotas)
      for (const auto& [key, amount] : quota->spec.hard)
        if (is_valid_key(key) && !counts_nothing(key, context.options.version))
          by_resource[full_name(key)].push_back({quota, key, &amount});
    for (const auto& [resource, entries] : by_resource) {
      for (std::size_t i = 0; i < entries.size(); ++i) {
        const QuotaEntry* const tight = reached_before(entries, i);
        if (!tight) continue;
        const QuotaEntry& loose = entries[i];
        Diagnostic& d =
            add_at_key(findings, *loose.quota, loose.key,
                       fmt::format("{} of {} is never reached: ResourceQuota \"{}\" of this namespace counts the same "
                                   "and allows {}",
                                   loose.amount->str(), loose.key, tight->quota->meta.name, tight->amount->str()));
        d.notes.push_back(
            note_at(tight->quota->meta, hard_field(tight->key), "the quota that is reached first is here"));
        d.notes.push_back(smallest_change(fmt::format("no {} here, or more than {} in \"{}\"", loose.key,
                                                      loose.amount->str(), tight->quota->meta.name)));
      }
    }
  }
}

}  // namespace

extern const Rule rule_quota_never_reached = {
    .code = "APF706",
    .name = "quota-never-reached",
    .severity = Severity::warning,
    .group = RuleGroup::resource_quota,
    .summary = "another quota of the namespace is always reached first",
    .what =
        R"(Two ResourceQuotas of one namespace limit the same resource. The scopes of one hold of everything that the
other one counts, so it counts all of that, and it allows no more.)",
    .why = R"(All quotas apply, so the smaller one decides and the other limits nothing: raising only the other one
has no effect. A quota for all pods beside a smaller one for a priority class isn't reported; one for some priority
classes beside a smaller one for these and others is.)",
    .example = R"(apiVersion: v1
kind: ResourceQuota
metadata: {name: base, namespace: team-a}
spec:
  hard: {pods: "10"}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: extra, namespace: team-a}
spec:
  hard: {pods: "50"}
)",
    .instead = "Keep one quota for a resource, or give them scopes that divide the pods between them.",
    .check = check_quota_never_reached,
};

}  // namespace apf
