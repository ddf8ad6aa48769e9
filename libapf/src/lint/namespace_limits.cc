#include "lint/namespace_limits.h"

#include <algorithm>
#include <map>
#include <set>

#include "config/field_errors.h"
#include "config/limit_range.h"
#include "lint/quota_keys.h"

namespace apf {

namespace {

using Terms = std::vector<ScopeRequirement>;

Terms terms_of(const ResourceQuota& quota) {
  Terms terms;
  for (const std::string& scope : quota.spec.scopes) terms.push_back({scope, "Exists", {}});
  if (quota.spec.scope_selector)
    terms.insert(terms.end(), quota.spec.scope_selector->begin(), quota.spec.scope_selector->end());
  return terms;
}

bool is_subset(const std::set<std::string>& part, const std::set<std::string>& of) {
  return std::includes(of.begin(), of.end(), part.begin(), part.end());
}

// Is every object that satisfies `narrow` one that satisfies `wide`? NotIn holds of objects without a value, too.
bool implies(const ScopeRequirement& narrow, const ScopeRequirement& wide) {
  if (narrow.scope_name != wide.scope_name) return false;
  const std::set<std::string> of_narrow(narrow.values.begin(), narrow.values.end()),
      of_wide(wide.values.begin(), wide.values.end());
  if (wide.op == "Exists") return narrow.op == "Exists" || narrow.op == "In";
  if (wide.op == "In") return narrow.op == "In" && is_subset(of_narrow, of_wide);
  if (wide.op == "DoesNotExist") return narrow.op == "DoesNotExist";
  if (wide.op != "NotIn") return false;
  const auto is_named = [&](const std::string& value) { return of_wide.contains(value); };
  return narrow.op == "DoesNotExist" || (narrow.op == "NotIn" && is_subset(of_wide, of_narrow)) ||
         (narrow.op == "In" && std::none_of(of_narrow.begin(), of_narrow.end(), is_named));
}

// What the server refuses limits nothing.
bool is_accepted(const LimitRange& range) {
  std::vector<Diagnostic> faults;
  FieldErrors errors(range.meta, kLimitRangeKind, kNewestKubeVersion, faults);
  validate_limit_range_items(defaulted_items(range), errors);
  return faults.empty();
}

}  // namespace

std::vector<NamespaceLimits> namespaces_of(const LoadedConfig& loaded) {
  std::map<std::string, NamespaceLimits> by_place;
  const auto at = [&](const std::string& ns, const ObjectMeta& meta) -> NamespaceLimits& {
    NamespaceLimits& limits = by_place[place_of(meta, ns)];
    limits.ns = ns;
    return limits;
  };
  for (const ResourceQuota& quota : loaded.resource_quotas) at(quota.ns, quota.meta).quotas.push_back(&quota);
  for (const LimitRange& range : loaded.limit_ranges)
    if (is_accepted(range)) at(range.ns, range.meta).ranges.push_back({&range, defaulted_items(range)});
  std::vector<NamespaceLimits> out;
  for (auto& [place, limits] : by_place) out.push_back(std::move(limits));
  return out;
}

bool counts_all_of(const ResourceQuota& wide, const ResourceQuota& narrow) {
  const Terms of_wide = terms_of(wide), of_narrow = terms_of(narrow);
  return std::all_of(of_wide.begin(), of_wide.end(), [&](const ScopeRequirement& term) {
    return std::any_of(of_narrow.begin(), of_narrow.end(),
                       [&](const ScopeRequirement& other) { return implies(other, term); });
  });
}

QuotaEntry least_amount(const NamespaceLimits& limits, const ResourceQuota& of, std::string_view key) {
  QuotaEntry least;
  for (const ResourceQuota* quota : limits.quotas) {
    if (!counts_all_of(*quota, of)) continue;
    for (const auto& [name, amount] : quota->spec.hard) {
      if (full_name(name) != full_name(key) || (least.quota && *least.amount <= amount)) continue;
      least = {quota, name, &amount};
    }
  }
  return least;
}

const Quantity* amount_in(const ResourceList& list, std::string_view name) {
  const auto at = list.find(name);
  return at == list.end() ? nullptr : &at->second;
}

}  // namespace apf
