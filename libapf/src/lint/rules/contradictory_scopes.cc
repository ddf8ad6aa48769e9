// APF711: a quota whose scopes and scopeSelector nothing can satisfy together.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "lint/quota_keys.h"

namespace apf {

namespace {

// A term, and where it stands.
struct PlacedTerm {
  ScopeRequirement term;
  std::string field;
};

std::vector<PlacedTerm> placed_terms(const ResourceQuota& quota) {
  std::vector<PlacedTerm> out;
  for (std::size_t i = 0; i < quota.spec.scopes.size(); ++i)
    out.push_back({{quota.spec.scopes[i], "Exists", {}, false}, fmt::format("spec.scopes[{}]", i)});
  if (!quota.spec.scope_selector) return out;
  for (std::size_t i = 0; i < quota.spec.scope_selector->size(); ++i)
    out.push_back({(*quota.spec.scope_selector)[i], fmt::format("spec.scopeSelector.matchExpressions[{}]", i)});
  return out;
}

bool are_opposite(std::string_view a, std::string_view b) {
  return a == "Not" + std::string(b) || b == "Not" + std::string(a);
}

// What a term leaves of the values of its scope: some, or all but some. DoesNotExist leaves none.
struct LeftValues {
  bool all_but = false;
  std::set<std::string> values;
};

std::optional<LeftValues> left_by(const ScopeRequirement& term) {
  const std::set<std::string> values(term.values.begin(), term.values.end());
  if (term.op == "In") return LeftValues{false, values};
  if (term.op == "Exists") return LeftValues{true, {}};
  return std::nullopt;  // NotIn and DoesNotExist hold of objects without a value, too
}

bool excludes(const ScopeRequirement& narrow, const ScopeRequirement& other) {
  const std::optional<LeftValues> left = left_by(narrow);
  if (!left) return false;
  if (other.op == "DoesNotExist") return true;
  if (left->all_but) return false;
  const auto is_named = [&](const std::string& value) {
    return std::find(other.values.begin(), other.values.end(), value) != other.values.end();
  };
  const std::set<std::string>& values = left->values;
  if (other.op == "In") return std::none_of(values.begin(), values.end(), is_named);
  return other.op == "NotIn" && std::all_of(values.begin(), values.end(), is_named);
}

// The server refuses a scope and its opposite in one list.
bool are_in_one_list(const PlacedTerm& a, const PlacedTerm& b) {
  const auto list_of = [](const PlacedTerm& of) { return of.field.substr(0, of.field.rfind('[')); };
  return list_of(a) == list_of(b);
}

bool contradict(const PlacedTerm& one, const PlacedTerm& other) {
  const ScopeRequirement &a = one.term, &b = other.term;
  if (are_opposite(a.scope_name, b.scope_name))
    return a.op == "Exists" && b.op == "Exists" && !are_in_one_list(one, other);
  return a.scope_name == b.scope_name && (excludes(a, b) || excludes(b, a));
}

std::string in_words(const ScopeRequirement& term) {
  std::string out = term.scope_name;
  if (term.op != "Exists" || !term.values.empty()) out += " " + term.op;
  for (const std::string& value : term.values) out += " " + value;
  return out;
}

// One finding a quota.
void check_contradictory_scopes(const LintContext& context, Findings& findings) {
  for (const ResourceQuota& quota : context.loaded.resource_quotas) {
    const std::vector<PlacedTerm> terms = placed_terms(quota);
    bool found = false;
    for (std::size_t a = 0; a < terms.size() && !found; ++a) {
      for (std::size_t b = a + 1; b < terms.size() && !found; ++b) {
        if (!contradict(terms[a], terms[b])) continue;
        found = true;
        Diagnostic& d = findings.add(quota, terms[b].field,
                                     fmt::format("nothing is \"{}\" and \"{}\" at once: this quota counts nothing",
                                                 in_words(terms[a].term), in_words(terms[b].term)));
        d.notes.push_back(note_at(quota.meta, terms[a].field, "the other one is here"));
      }
    }
  }
}

}  // namespace

extern const Rule rule_contradictory_scopes = {
    .code = "APF711",
    .name = "contradictory-scopes",
    .severity = Severity::warning,
    .group = RuleGroup::resource_quota,
    .summary = "a quota's scopes and scopeSelector exclude each other",
    .what = R"(Two terms of scopes and scopeSelector together hold of no object: a scope and its opposite, one in each
list (the server refuses both in one list), or values of PriorityClass or VolumeAttributesClass that exclude each
other.)",
    .why = R"(An object must satisfy all terms to be counted. The server accepts such a quota, and it limits
nothing.)",
    .example = R"(apiVersion: v1
kind: ResourceQuota
metadata: {name: batch, namespace: team-a}
spec:
  hard: {pods: "10"}
  scopes: [Terminating]
  scopeSelector:
    matchExpressions:
    - {scopeName: NotTerminating, operator: Exists}
)",
    .instead = R"(spec:
  hard: {pods: "10"}
  scopes: [Terminating]
)",
    .check = check_contradictory_scopes,
};

}  // namespace apf
