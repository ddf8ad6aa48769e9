// Validation of a ResourceQuota (pkg/apis/core/validation and pkg/registry/core/resourcequota of kube-apiserver,
// v1.36). The server visits the resources in an order that differs from run to run; here they come by name.
#include <set>

#include <fmt/core.h>

#include "base/api_resources.h"
#include "base/go_quote.h"
#include "base/releases.h"
#include "config/closest.h"
#include "config/go_json.h"
#include "config/resource_quota.h"
#include "config/validate_names.h"

namespace apf {

namespace {

// True for the scopes that the release knows.
bool knows_scope(std::string_view scope, KubeVersion version) {
  if (scope == "VolumeAttributesClass") return has(version, Feature::volume_attributes_class_quota_scope);
  if (scope == "CrossNamespacePodAffinity") return has(version, Feature::cross_namespace_affinity_quota_scope);
  return is_quota_scope(scope);
}

// The name that was meant by one that the server does not know; empty if none is near.
std::string meant_resource(std::string_view name) {
  if (name == "storage" || name == "limits.storage") return "requests.storage";
  if (name.starts_with("limits.hugepages-")) return std::string(name.substr(7));
  for (const ApiResource& resource : api_resources()) {
    if (resource.name != name || resource.group.empty() || !resource.namespaced) continue;
    return fmt::format("count/{}.{}", name, resource.group);
  }
  return std::string(closest(name, standard_quota_resources()));
}

void validate_resource_name(std::string_view name, FieldErrors& errors, const FieldPath& path) {
  const NameFaults faults = label_key_faults(name, errors.version());
  for (const std::string& fault : faults) errors.invalid_key(kInvalidQuotaResource, path, go_json(name), fault);
  if (name.find('/') != name.npos) return;
  const bool standard = is_standard_quota_resource(name);
  if (faults.empty() && !standard && name != "storage")
    errors.invalid_key(kInvalidQuotaResource, path, go_json(name),
                       "must be a standard resource type or fully qualified");
  if (standard) return;
  errors.invalid_key(kInvalidQuotaResource, path, go_json(name), "must be a standard resource for quota");
  const std::string meant = meant_resource(name);
  if (!meant.empty()) errors.note(did_you_mean(meant));
}

void validate_amount(std::string_view name, const Quantity& amount, FieldErrors& errors, const FieldPath& path) {
  if (amount.sign() < 0)
    errors.invalid(kInvalidQuotaAmount, path, go_quote(amount.str()), "must be greater than or equal to 0");
  if (is_integer_resource(name) && amount.milli_value() % 1000 != 0)
    errors.invalid(kInvalidQuotaAmount, path, go_json(amount.str()), "must be an integer");
}

void validate_list(const ResourceList& list, FieldErrors& errors, const FieldPath& path) {
  for (const auto& [name, amount] : list) {
    const FieldPath at = path.key(name);
    validate_resource_name(name, errors, at);
    validate_amount(name, amount, errors, at);
  }
}

std::string scopes_json(const ResourceQuota::Spec& spec) { return spec.has_scopes ? go_json(spec.scopes) : "null"; }

// The internal version's members, which have no JSON names.
std::string selector_json(const ResourceQuota::Spec& spec) {
  std::string out = "{\"MatchExpressions\":";
  if (!spec.has_match_expressions) return out + "null}";
  char before = '[';
  for (const ScopeRequirement& term : *spec.scope_selector) {
    out += before;
    before = ',';
    out += "{\"ScopeName\":" + go_json(term.scope_name) + ",\"Operator\":" + go_json(term.op) +
           ",\"Values\":" + (term.has_values ? go_json(term.values) : "null") + "}";
  }
  return out + (spec.scope_selector->empty() ? "[]}" : "]}");
}

// How many of the standard resources do not go with a scope.
std::size_t misfits(const ResourceQuota::Spec& spec, std::string_view scope) {
  std::size_t count = 0;
  for (const auto& [name, amount] : spec.hard)
    count += is_standard_quota_resource(name) && !scope_fits_resource(scope, name);
  return count;
}

void validate_pairs(const ResourceQuota::Spec& spec, const std::set<std::string_view>& scopes, const ConfigCode& code,
                    FieldErrors& errors, const FieldPath& path) {
  for (const auto& [one, other] :
       {std::pair{"BestEffort", "NotBestEffort"}, std::pair{"Terminating", "NotTerminating"}})
    if (scopes.contains(one) && scopes.contains(other))
      errors.invalid(code, path, scopes_json(spec), "conflicting scopes");
}

void validate_scopes(const ResourceQuota::Spec& spec, FieldErrors& errors, const FieldPath& path) {
  std::set<std::string_view> seen;
  for (const std::string& scope : spec.scopes) {
    if (!knows_scope(scope, errors.version()))
      errors.invalid(kInvalidQuotaScope, path, scopes_json(spec), "unsupported scope");
    for (std::size_t n = misfits(spec, scope); n > 0; --n)
      errors.invalid(kInvalidQuotaScope, path, scopes_json(spec), "unsupported scope applied to resource");
    seen.insert(scope);
  }
  validate_pairs(spec, seen, kInvalidQuotaScope, errors, path);
}

void validate_requirement(const ResourceQuota::Spec& spec, const ScopeRequirement& term, const std::string& where,
                          FieldErrors& errors, const FieldPath& path) {
  const ConfigCode& code = kInvalidScopeSelector;
  if (!knows_scope(term.scope_name, errors.version()))
    errors.invalid(code, path.child("scopeName"), go_json(term.scope_name), "unsupported scope", where + ".scopeName");
  for (std::size_t n = misfits(spec, term.scope_name); n > 0; --n)
    errors.invalid(code, path, selector_json(spec), "unsupported scope applied to resource", where + ".scopeName");
  const bool needs_exists = is_quota_scope(term.scope_name) && term.scope_name != "PriorityClass" &&
                            term.scope_name != "VolumeAttributesClass";
  if (needs_exists && term.op != "Exists") {
    errors.invalid(
        code, path.child("operator"), go_json(term.op),
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
        "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
        where + ".operator");
  }
  if (term.op == "In" || term.op == "NotIn") {
    if (term.values.empty())
      errors.required(code, path.child("values"),
                      "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
                      where + ".values");
  } else if (term.op == "Exists" || term.op == "DoesNotExist") {
    if (!term.values.empty())
      errors.invalid(code, path.child("values"), go_json(term.values),
                     "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
                     where + ".values");
  } else {
    errors.invalid(code, path.child("operator"), go_json(term.op), "not a valid selector operator",
                   where + ".operator");
  }
}

void validate_selector(const ResourceQuota::Spec& spec, FieldErrors& errors, const FieldPath& path) {
  if (!spec.scope_selector) return;
  const FieldPath terms = path.child("matchExpressions");
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < spec.scope_selector->size(); ++i) {
    const ScopeRequirement& term = (*spec.scope_selector)[i];
    validate_requirement(spec, term, terms.at(i).str(), errors, terms);
    seen.insert(term.scope_name);
  }
  validate_pairs(spec, seen, kInvalidScopeSelector, errors, terms);
}

void validate_spec(const ResourceQuota::Spec& spec, FieldErrors& errors) {
  const FieldPath path("spec");
  validate_list(spec.hard, errors, path.child("hard"));
  validate_scopes(spec, errors, path.child("scopes"));
  validate_selector(spec, errors, path.child("scopeSelector"));
}

void validate_status(const ResourceQuota::Status& status, FieldErrors& errors) {
  const FieldPath path("status");
  validate_list(status.hard, errors, path.child("hard"));
  validate_list(status.used, errors, path.child("used"));
}

}  // namespace

void validate_object(const ResourceQuota& object, Operation operation, KubeVersion version, const ResourceQuota* old,
                     std::vector<Diagnostic>& out) {
  FieldErrors errors(object.meta, kResourceQuotaKind, version, out);
  if (operation == Operation::status_update) {
    if (old) validate_metadata_update(object.meta, old->meta, errors, Scope::namespaced);
    return validate_status(object.status, errors);
  }
  if (operation == Operation::update && old) {
    validate_metadata_update(object.meta, old->meta, errors, Scope::namespaced);
    validate_metadata_texts(object.meta, errors);
  } else {
    validate_metadata(object.meta, errors, Scope::namespaced);
  }
  validate_spec(object.spec, errors);
  if (operation == Operation::object) validate_status(object.status, errors);
  if (operation != Operation::update || !old) return;
  const FieldPath spec("spec");
  const std::set<std::string> now(object.spec.scopes.begin(), object.spec.scopes.end());
  const std::set<std::string> before(old->spec.scopes.begin(), old->spec.scopes.end());
  if (now != before)
    errors.invalid(kImmutableField, spec.child("scopes"), scopes_json(object.spec), "field is immutable");
}

}  // namespace apf
