// What limits one namespace, together: its ResourceQuotas and LimitRanges.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <apf/config.h>

#include "lint/rule.h"

namespace apf {

// A LimitRange, and its items as the server stores them: defaulted.
struct StoredRange {
  const LimitRange* range;
  std::vector<LimitRange::Item> items;
};

struct NamespaceLimits {
  std::string ns;  // empty: those of one file, which most likely are for one namespace
  std::vector<const ResourceQuota*> quotas;
  std::vector<StoredRange> ranges;
};
std::vector<NamespaceLimits> namespaces_of(const LoadedConfig& loaded);

// Does `wide` count every object that `narrow` counts?
bool counts_all_of(const ResourceQuota& wide, const ResourceQuota& narrow);

// A key of a quota and its amount.
struct QuotaEntry {
  const ResourceQuota* quota = nullptr;
  std::string_view key;
  const Quantity* amount = nullptr;
};
// The smallest amount that the quotas of the namespace allow of what `key` stands for, of those quotas that count all
// that `of` counts. No quota: there is none.
QuotaEntry least_amount(const NamespaceLimits& limits, const ResourceQuota& of, std::string_view key);

const Quantity* amount_in(const ResourceList& list, std::string_view name);

// How to make it right with the least change, as a note.
inline Note smallest_change(const std::string& change) { return {"the smallest change: " + change, {}}; }

}  // namespace apf
