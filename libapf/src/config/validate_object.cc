#include "config/validate_object.h"

#include <algorithm>
#include <unordered_set>

#include <apf/config.h>

#include "base/releases.h"
#include "config/defaults.h"
#include "config/go_json.h"
#include "config/schema.h"

namespace apf {

namespace {

constexpr std::size_t kMaxStrictErrors = 100;  // the decoder keeps no more

bool equal(const Subject& a, const Subject& b) {
  const bool accounts = a.service_account.has_value() == b.service_account.has_value() &&
                        (!a.service_account || (a.service_account->ns == b.service_account->ns &&
                                                a.service_account->name == b.service_account->name));
  return accounts && a.kind == b.kind && a.user == b.user && a.group == b.group;
}

bool equal(const ResourceRule& a, const ResourceRule& b) {
  return a.verbs == b.verbs && a.api_groups == b.api_groups && a.resources == b.resources &&
         a.namespaces == b.namespaces && a.cluster_scope == b.cluster_scope;
}

bool equal(const NonResourceRule& a, const NonResourceRule& b) { return a.verbs == b.verbs && a.urls == b.urls; }

bool equal(const PolicyRule& a, const PolicyRule& b);

template <class T>
bool equal(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T& x, const T& y) { return equal(x, y); });
}

bool equal(const PolicyRule& a, const PolicyRule& b) {
  return equal(a.subjects, b.subjects) && equal(a.resource_rules, b.resource_rules) &&
         equal(a.non_resource_rules, b.non_resource_rules);
}

bool equal_spec(const FlowSchema& a, const FlowSchema& b) {
  return a.priority_level == b.priority_level && a.matching_precedence == b.matching_precedence &&
         a.distinguisher_method == b.distinguisher_method && equal(a.rules, b.rules);
}

// But for the exempt stanza, which an administrator may change.
bool equal_spec(const PriorityLevel& a, const PriorityLevel& b) {
  return a.type == b.type && same_stanza(a.limited, b.limited);
}

bool is_mandatory(const std::string& name) { return name == "exempt" || name == "catch-all"; }

template <class Object>
const Object& named(const std::vector<Object>& objects, const std::string& name) {
  return *std::find_if(objects.begin(), objects.end(), [&](const Object& o) { return o.meta.name == name; });
}

void check_mandatory(const FlowSchema& schema, FieldErrors& errors) {
  FlowSchema stored = schema;
  stored.matching_precedence = defaulted_precedence(schema);
  const Config builtins = bootstrap_config(errors.version(), Builtins::mandatory);
  if (equal_spec(stored, named(builtins.flow_schemas, schema.meta.name))) return;
  errors.invalid(kChangedMandatoryObject, FieldPath("spec"), go_spec_json(stored),
                 "spec of '" + schema.meta.name + "' must equal the fixed value");
}

void check_mandatory(const PriorityLevel& stored, FieldErrors& errors) {
  const KubeVersion version = errors.version();
  Config builtins = bootstrap_config(version, Builtins::mandatory);
  apply_defaults(builtins);  // as `stored` is, also with fields that the release does not have
  const bool exempt = stored.meta.name == "exempt";
  const bool own_stanza = exempt || !stored.exempt || !has(version, Feature::exempt_level_has_seats);
  if (own_stanza && equal_spec(stored, named(builtins.priority_levels, stored.meta.name))) return;
  errors.invalid(kChangedMandatoryObject, FieldPath("spec"), go_spec_json(stored, version),
                 exempt && has(version, Feature::exempt_level_has_seats)
                     ? "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value"
                     : "spec of '" + stored.meta.name + "' must equal the fixed value");
}

// v1beta3's own annotation is dropped before validation; in any other version it is refused.
void check_reserved_annotation(const ObjectMeta& meta, FieldErrors& errors) {
  if (!has(errors.version(), Feature::preserve_zero_shares_annotation) || meta.api_version.ends_with("/v1beta3"))
    return;
  const bool present = std::any_of(meta.annotations.begin(), meta.annotations.end(),
                                   [](const auto& annotation) { return annotation.first == kPreserveZeroAnnotation; });
  if (!present) return;
  const FieldPath metadata("metadata");
  errors.forbidden(kReservedAnnotation, metadata.child("annotations"),
                   "annotation '" + std::string(kPreserveZeroAnnotation) + "' is forbidden");
}

// As the release fills them in: before 1.29 no annotation keeps v1beta3's zero shares.
PriorityLevel defaulted(const PriorityLevel& level, KubeVersion version) {
  PriorityLevel stored = level;
  apply_defaults(stored);
  if (!has(version, Feature::preserve_zero_shares_annotation) && level.meta.api_version.ends_with("/v1beta3") &&
      stored.limited && stored.limited->nominal_concurrency_shares == 0) {
    stored.limited->nominal_concurrency_shares = 30;  // SetDefaults_LimitedPriorityLevelConfiguration
  }
  return stored;
}

// 1.29 stores zero shares, but accepts them only from objects that have them already.
bool zero_shares_allowed(KubeVersion version, const PriorityLevel* old) {
  if (has(version, Feature::zero_shares)) return true;
  if (!old || !has(version, Feature::stored_zero_shares)) return false;
  const PriorityLevel stored = defaulted(*old, version);
  return stored.limited && stored.limited->nominal_concurrency_shares == 0;
}

}  // namespace

void validate_object(const FlowSchema& object, Operation operation, KubeVersion version, const FlowSchema* old,
                     std::vector<Diagnostic>& out) {
  FieldErrors errors(object.meta, "FlowSchema", version, out);
  if (operation == Operation::status_update) return validate_conditions(object.meta, errors);
  if (operation == Operation::update && old) validate_metadata_update(object.meta, old->meta, errors);
  validate_metadata(object.meta, errors);
  validate_flow_schema_spec(object, errors);
  if (is_mandatory(object.meta.name)) check_mandatory(object, errors);
  if (operation == Operation::object) validate_conditions(object.meta, errors);
}

void validate_object(const PriorityLevel& object, Operation operation, KubeVersion version, const PriorityLevel* old,
                     std::vector<Diagnostic>& out) {
  FieldErrors errors(object.meta, "PriorityLevelConfiguration", version, out);
  if (operation == Operation::status_update) return validate_conditions(object.meta, errors);
  if (operation == Operation::update && old) validate_metadata_update(object.meta, old->meta, errors);
  const PriorityLevel stored = defaulted(object, version);
  validate_metadata(object.meta, errors);
  check_reserved_annotation(object.meta, errors);
  validate_level_spec(stored, zero_shares_allowed(version, old), errors);
  if (is_mandatory(object.meta.name)) check_mandatory(stored, errors);
  if (operation == Operation::object) validate_conditions(object.meta, errors);
  const std::optional<PriorityLevel> before =
      operation == Operation::update && old ? std::optional(defaulted(*old, version)) : std::nullopt;
  check_generated_rules(stored, before ? &*before : nullptr, errors);
}

std::string strict_decode_error(const std::vector<Diagnostic>& of_one_object) {
  std::string faults;
  std::unordered_set<std::string_view> seen;
  for (const Diagnostic& d : of_one_object) {
    if (d.severity == Severity::error && !d.detail.empty()) return d.detail;  // it does not decode at all
    if (d.code != kUnknownField.code && d.code != kDuplicateField.code) continue;
    if (seen.size() == kMaxStrictErrors || !seen.insert(d.message).second) continue;
    faults += (faults.empty() ? "strict decoding error: " : ", ") + d.message;
  }
  return faults;
}

}  // namespace apf
