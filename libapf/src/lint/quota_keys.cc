#include "lint/quota_keys.h"

#include <algorithm>

#include "config/kinds.h"
#include "config/tree.h"
#include "config/validate_names.h"

namespace apf {

Diagnostic& add_at_key(Findings& findings, const ResourceQuota& quota, std::string_view key, std::string message) {
  const std::string field = hard_field(key);
  Diagnostic& d = findings.add(quota, field, std::move(message));
  const FieldPosition at = find_field(*quota.meta.source.tree, field);
  if (at.exact && at.key) d.span = at.key->span();
  return d;
}

std::string full_name(std::string_view key) {
  const bool is_short = key == "cpu" || key == "memory" || key == "ephemeral-storage" || key.starts_with("hugepages-");
  return (is_short ? "requests." : "") + std::string(key);
}

std::string place_of(const ObjectMeta& meta, const std::string& ns) {
  return (ns.empty() ? "\n" + meta.source.file : ns) + selector_of(meta);
}

bool is_valid_key(std::string_view key) {
  if (!label_key_faults(key, kNewestKubeVersion).empty()) return false;
  return key.find('/') != key.npos || is_standard_quota_resource(key);
}

std::set<std::string> scope_terms(const ResourceQuota& quota) {
  std::set<std::string> terms;
  for (const std::string& scope : quota.spec.scopes) terms.insert(scope + " Exists");
  if (!quota.spec.scope_selector) return terms;
  for (const ScopeRequirement& term : *quota.spec.scope_selector) {
    std::string text = term.scope_name + " " + term.op;
    const std::set<std::string> values(term.values.begin(), term.values.end());
    for (const std::string& value : values) text += " " + value;
    terms.insert(std::move(text));
  }
  return terms;
}

}  // namespace apf
