// Validation of whole configurations: every object in the order of the texts, and whether the release serves its
// version.
#include <apf/config.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <variant>

#include <fmt/core.h>

#include "base/releases.h"
#include "base/sort_stably.h"
#include "config/admission_objects.h"
#include "config/audit_policy.h"
#include "config/codes.h"
#include "config/dialect.h"
#include "config/limit_range.h"
#include "config/reader.h"
#include "config/resource_quota.h"
#include "config/schema.h"
#include "config/tree.h"
#include "config/validate_object.h"

namespace apf {

namespace {

// What the server and its clients say to a version that is not there; true if that ends the matter.
bool check_served(const ObjectMeta& meta, std::string_view kind, KubeVersion release, std::vector<Diagnostic>& out) {
  const std::string_view name = std::string_view(meta.api_version).substr(meta.api_version.find('/') + 1);
  const ApiLifecycle* row = find_api_lifecycle(name);
  if (!row || row->is_served(release)) return false;
  const bool unknown = name == api_version_name(ApiVersion::v1alpha1) && !has(release, Feature::v1alpha1_types);
  Diagnostic d;
  const ConfigCode& code = unknown ? kUnknownApiVersion : kNotServed;
  d.code = code.code;
  d.name = code.name;
  d.message = unknown ? fmt::format("no kind \"{}\" is registered for version \"{}\" in scheme \"{}\"", kind,
                                    meta.api_version, kScheme)
                      : fmt::format("no matches for kind \"{}\" in version \"{}\"", kind, meta.api_version);
  d.detail = d.message;
  d.field = "apiVersion";
  d.span = meta.source.span_of(d.field);
  d.document = meta.source.document;
  d.api_version = meta.api_version;
  d.kind = kind;
  d.object_name = name_to_tell(meta.name);
  const std::string_view newest = newest_lifecycle(release).version;
  d.notes.push_back({fmt::format("Kubernetes {} serves {}; 'apfctl convert --to {} FILE' rewrites the object",
                                 release.str(), newest, newest),
                     {}});
  out.push_back(std::move(d));
  return unknown;
}

// Fields that came with a later release: the server drops them, and says so.
void find_later_fields(const PriorityLevel& level, std::string_view kind, KubeVersion release,
                       std::vector<Diagnostic>& out) {
  const ObjectMeta& meta = level.meta;
  if (!meta.source.tree || has(release, Feature::exempt_level_has_seats)) return;
  const std::string_view name = std::string_view(meta.api_version).substr(meta.api_version.find('/') + 1);
  const auto version = static_cast<ApiVersion>(
      std::find(std::begin(kApiVersionNames), std::end(kApiVersionNames), name) - std::begin(kApiVersionNames));
  const ObjectLabel label{meta.api_version, std::string(kind), name_to_tell(meta.name), meta.source.document};
  std::vector<Diagnostic> never_known, unknown;
  check_fields(*meta.source.tree, priority_level_schema(version), version, label, never_known);
  check_fields(*meta.source.tree, priority_level_schema(version, release), version, label, unknown);
  for (Diagnostic& d : unknown) {
    const auto is_same = [&](const Diagnostic& other) { return other.code == d.code && other.field == d.field; };
    if (std::any_of(never_known.begin(), never_known.end(), is_same)) continue;
    d.notes = {{fmt::format("it came with a later release than Kubernetes {}, which drops it", release.str()), {}}};
    out.push_back(std::move(d));
  }
}

using AnyObject = std::variant<const FlowSchema*, const PriorityLevel*, const EventRateLimitConfiguration*,
                               const AdmissionConfiguration*, const ResourceQuota*, const ResourceQuotaConfiguration*,
                               const LimitRange*>;

const ObjectMeta& meta_of(const AnyObject& object) {
  return std::visit([](const auto* o) -> const ObjectMeta& { return o->meta; }, object);
}

// The model keeps the kinds apart; this brings back the order of the texts. Files come by name, as in sort_diagnostics.
std::vector<AnyObject> in_text_order(const LoadedConfig& loaded) {
  std::vector<AnyObject> objects;
  for (const Config* config : {&loaded.config, &loaded.replaced}) {
    objects.reserve(objects.size() + config->flow_schemas.size() + config->priority_levels.size());
    for (const FlowSchema& schema : config->flow_schemas) objects.emplace_back(&schema);
    for (const PriorityLevel& level : config->priority_levels) objects.emplace_back(&level);
  }
  for (const auto& object : loaded.event_rate_limits) objects.emplace_back(&object);
  for (const auto& object : loaded.admission_configurations) objects.emplace_back(&object);
  for (const auto* quotas : {&loaded.resource_quotas, &loaded.replaced_resource_quotas})
    for (const ResourceQuota& quota : *quotas) objects.emplace_back(&quota);
  for (const LimitRange& range : loaded.limit_ranges) objects.emplace_back(&range);
  for (const ResourceQuotaConfiguration& configuration : loaded.resource_quota_configurations)
    objects.emplace_back(&configuration);
  const auto place = [](const AnyObject& object) {
    const ObjectSource& source = meta_of(object).source;
    return std::make_tuple(std::string_view(source.file), source.tree ? source.tree->begin() : 0u);
  };
  sort_stably(objects, [&](const AnyObject& a, const AnyObject& b) { return place(a) < place(b); });
  return objects;
}

const char* kind_of(const FlowSchema*) { return "FlowSchema"; }
const char* kind_of(const PriorityLevel*) { return "PriorityLevelConfiguration"; }
const char* kind_of(const EventRateLimitConfiguration*) { return "Configuration"; }
const char* kind_of(const AdmissionConfiguration*) { return "AdmissionConfiguration"; }
const char* kind_of(const LimitRange*) { return "LimitRange"; }
const char* kind_of(const ResourceQuota*) { return "ResourceQuota"; }
const char* kind_of(const ResourceQuotaConfiguration*) { return "ResourceQuotaConfiguration"; }

// What is there before an update, by kind and name.
class OldObjects {
 public:
  explicit OldObjects(const LoadedConfig* old) {
    if (!old) return;
    for (const FlowSchema& schema : old->config.flow_schemas) flow_schemas_.emplace(schema.meta.name, &schema);
    for (const PriorityLevel& level : old->config.priority_levels) priority_levels_.emplace(level.meta.name, &level);
    for (const ResourceQuota& quota : old->resource_quotas) quotas_.emplace(Place(quota.ns, quota.meta.name), &quota);
    for (const LimitRange& range : old->limit_ranges) ranges_.emplace(Place(range.ns, range.meta.name), &range);
  }
  const FlowSchema* find(const FlowSchema& schema) const { return find_in(flow_schemas_, schema.meta.name); }
  const PriorityLevel* find(const PriorityLevel& level) const { return find_in(priority_levels_, level.meta.name); }
  const ResourceQuota* find(const ResourceQuota& quota) const { return find_placed(quotas_, quota); }
  const LimitRange* find(const LimitRange& range) const { return find_placed(ranges_, range); }

 private:
  template <class Object>
  using ByName = std::unordered_map<std::string_view, const Object*>;
  template <class Object>
  static const Object* find_in(const ByName<Object>& objects, std::string_view name) {
    const auto at = objects.find(name);
    return at == objects.end() ? nullptr : at->second;
  }
  ByName<FlowSchema> flow_schemas_;
  ByName<PriorityLevel> priority_levels_;
  using Place = std::pair<std::string_view, std::string_view>;  // namespace and name
  template <class Object>
  static const Object* find_placed(const std::map<Place, const Object*>& objects, const Object& object) {
    const auto at = objects.find({object.ns, object.meta.name});
    return at == objects.end() ? nullptr : at->second;
  }
  std::map<Place, const ResourceQuota*> quotas_;
  std::map<Place, const LimitRange*> ranges_;
};

// Reported once, for the first object that isn't validated.
void tell_full(const ObjectMeta& meta, std::string_view kind, std::vector<Diagnostic>& out) {
  if (out.back().code == kTooLarge.code) return;
  Diagnostic& d = out.emplace_back();
  d.code = kTooLarge.code;
  d.name = kTooLarge.name;
  d.message = fmt::format("more than {} errors; the remaining objects are not validated", kMostFaults);
  d.span = meta.source.span_of("");
  d.document = meta.source.document;
  d.api_version = meta.api_version;
  d.kind = kind;
  d.object_name = name_to_tell(meta.name);
}

// One request for each object.
class Requests {
 public:
  Requests(KubeVersion version, const LoadedConfig* old, Subresource subresource, std::vector<Diagnostic>& out)
      : version_(version), old_(old), status_(subresource == Subresource::status), out_(out) {}

  void operator()(const FlowSchema* object) { send_if_served(*object, kind_of(object)); }
  void operator()(const PriorityLevel* object) { send_if_served(*object, kind_of(object)); }
  void operator()(const ResourceQuota* object) { send(*object); }
  void operator()(const LimitRange* object) { send(*object); }
  // Files of the server are no requests.
  void operator()(const ResourceQuotaConfiguration* object) { look_at(*object); }
  void operator()(const EventRateLimitConfiguration* object) { look_at(*object); }
  void operator()(const AdmissionConfiguration* object) { look_at(*object); }

 private:
  template <class Object>
  void look_at(const Object& object) {
    if (!status_) validate_object(object, version_, out_);
  }
  template <class Object>
  void send_if_served(const Object& object, std::string_view kind) {
    if (!dialect_of(object).is_served()) return;
    if (check_served(object.meta, kind, version_, out_)) return;
    send(object);
    if constexpr (std::is_same_v<Object, PriorityLevel>) {
      if (!status_) find_later_fields(object, kind, version_, out_);
    }
  }
  template <class Object>
  void send(const Object& object) {
    const auto* before = old_.find(object);
    const Operation operation = status_ ? Operation::status_update : before ? Operation::update : Operation::create;
    validate_object(object, operation, version_, before, out_);
  }

  KubeVersion version_;
  OldObjects old_;
  bool status_;
  std::vector<Diagnostic>& out_;
};

}  // namespace

std::vector<Diagnostic> validate(const LoadedConfig& loaded, KubeVersion version, const LoadedConfig* old,
                                 Subresource subresource) {
  std::vector<Diagnostic> out;
  Requests requests(version, old, subresource, out);
  for (const AnyObject& any : in_text_order(loaded)) {
    if (out.size() < kMostFaults) {
      std::visit(requests, any);
    } else {
      std::visit([&](const auto* object) { tell_full(object->meta, kind_of(object), out); }, any);
    }
  }
  for (const AuditPolicy& policy : loaded.audit_policies) check_audit_version(policy, version, out);
  if (subresource == Subresource::none) dialect_of(loaded.config).validate_together(loaded, out);
  return out;
}

void apply_strict_decoding(std::vector<Diagnostic>& diagnostics) {
  using Object = std::tuple<std::string, int, std::string, std::string>;
  const auto object_of = [](const Diagnostic& d) { return Object{d.span.file, d.document, d.kind, d.object_name}; };
  std::set<Object> undecoded;  // the server says that alone
  for (const Diagnostic& d : diagnostics) {
    if (d.severity == Severity::error) undecoded.insert(object_of(d));
  }
  std::map<Object, std::vector<Diagnostic>> objects;
  std::map<Object, std::size_t> first;  // place of the object's error
  std::vector<Diagnostic> out;
  for (Diagnostic& d : diagnostics) {
    const Object object = object_of(d);
    const bool lenient = d.api_version.starts_with(kEventRateLimitGroup);  // for every client
    if (lenient || (d.code != kUnknownField.code && d.code != kDuplicateField.code) || undecoded.contains(object)) {
      out.push_back(std::move(d));
      continue;
    }
    const auto [at, fresh] = first.emplace(object, out.size());
    objects[object].push_back(d);
    if (!fresh) {
      out[at->second].notes.push_back({d.message, d.span});
      for (Note& note : d.notes) out[at->second].notes.push_back(std::move(note));
      continue;
    }
    d.severity = Severity::error;
    out.push_back(std::move(d));
  }
  for (const auto& [object, place] : first)
    out[place].message = out[place].detail = strict_decode_error(objects[object]);
  diagnostics = std::move(out);
}

}  // namespace apf
