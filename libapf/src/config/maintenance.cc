#include "config/maintenance.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/core.h>

#include "base/releases.h"
#include "config/dialect.h"
#include "config/tree.h"

namespace apf {

namespace {

constexpr std::string_view kExemptName = "exempt", kCatchAllName = "catch-all";
// As which the server writes its own objects and their status.
constexpr std::string_view kOwnManagers = "api-priority-and-fairness-config-";

// Go's ParseBool, by which the server reads the annotation.
std::optional<bool> parse_bool(std::string_view text) {
  constexpr std::string_view kTrue[] = {"1", "t", "T", "TRUE", "true", "True"},
                             kFalse[] = {"0", "f", "F", "FALSE", "false", "False"};
  if (std::find(std::begin(kTrue), std::end(kTrue), text) != std::end(kTrue)) return true;
  if (std::find(std::begin(kFalse), std::end(kFalse), text) != std::end(kFalse)) return false;
  return std::nullopt;
}

// A manifest has no generation; an object that was read from a cluster has.
bool was_edited(const ObjectMeta& meta) {
  const FieldPosition position = find_field(*meta.source.tree, "metadata.generation");
  return position.exact && position.value && position.value->integer().value_or(1) > 1;
}

template <class Object>
std::string spec_text(Object object) {
  object.meta = {};
  return render_json(object);
}

const char* kind_word(const FlowSchema&) { return "FlowSchema"; }
const char* kind_word(const PriorityLevel&) { return "PriorityLevelConfiguration"; }

// What the operator may change of a mandatory object.
void keep_own_part(FlowSchema&, const FlowSchema&) {}
void keep_own_part(PriorityLevel& own, const PriorityLevel& given) {
  if (given.meta.name == kExemptName && given.exempt) own.exempt = given.exempt;
}

std::vector<std::string> other_managers(const ObjectMeta& meta) {
  std::vector<std::string> out;
  const ConfigNode* metadata = meta.source.tree->find("metadata");
  const ConfigNode* managed = metadata ? metadata->find("managedFields") : nullptr;
  if (!managed || !managed->is_sequence()) return out;
  for (const ConfigNode& entry : managed->items()) {
    const ConfigNode* fields = entry.find("fieldsV1");
    std::string manager = entry.find_string("manager");
    if (!fields || !fields->find("f:spec") || manager.empty() || manager.starts_with(kOwnManagers)) continue;
    if (std::find(out.begin(), out.end(), manager) == out.end()) out.push_back(std::move(manager));
  }
  return out;
}

// What the server makes of a given object; nothing if it leaves it alone.
template <class Object>
std::optional<Maintained::What> fate_of(const Object& given, const Object* own) {
  if (!given.meta.source.tree) return std::nullopt;
  if (!own) {
    if (autoupdate(given.meta) == true) return Maintained::What::deleted;
    return std::nullopt;
  }
  const bool mandatory = given.meta.name == kExemptName || given.meta.name == kCatchAllName;
  if (!mandatory && !is_restored(given.meta)) return std::nullopt;
  Object wanted = *own;
  keep_own_part(wanted, given);
  if (equal_specs(given, wanted)) return std::nullopt;
  return Maintained::What::restored;
}

// "200 → 100 shares"
template <class Value>
void add_change(const Value& given, const Value& own, const char* what, std::string field,
                std::vector<SpecChange>& out) {
  if (given != own) out.push_back({std::move(field), fmt::format("{} → {} {}", given, own, what)});
}

}  // namespace

std::vector<SpecChange> spec_changes(const FlowSchema& given, const FlowSchema& own) {
  std::vector<SpecChange> out;
  add_change(given.priority_level, own.priority_level, "as its level", "spec.priorityLevelConfiguration.name", out);
  add_change(given.matching_precedence, own.matching_precedence, "as its matchingPrecedence", "spec.matchingPrecedence",
             out);
  if (given.distinguisher_method != own.distinguisher_method) out.push_back({"spec.distinguisherMethod", {}});
  FlowSchema with_rules = own;
  with_rules.rules = given.rules;
  if (!equal_specs(with_rules, own)) out.push_back({"spec.rules", {}});
  return out;
}

std::vector<SpecChange> spec_changes(const PriorityLevel& given, const PriorityLevel& own) {
  std::vector<SpecChange> out;
  if (given.type != own.type) out.push_back({"spec.type", {}});
  if (!given.limited || !own.limited) return out;
  const LimitedLevel &a = *given.limited, &b = *own.limited;
  const std::string limited = "spec.limited.", queuing = "spec.limited.limitResponse.queuing.";
  const std::string_view version =
      std::string_view(given.meta.api_version).substr(given.meta.api_version.find('/') + 1);
  const bool assured = version == "v1alpha1" || version == "v1beta1" || version == "v1beta2";
  add_change(a.nominal_concurrency_shares.value_or(0), b.nominal_concurrency_shares.value_or(0), "shares",
             limited + (assured ? "assuredConcurrencyShares" : "nominalConcurrencyShares"), out);
  add_change(a.lendable_percent.value_or(0), b.lendable_percent.value_or(0), "percent lendable",
             limited + "lendablePercent", out);
  if (a.borrowing_limit_percent != b.borrowing_limit_percent) out.push_back({limited + "borrowingLimitPercent", {}});
  if (a.limit_response != b.limit_response) out.push_back({limited + "limitResponse.type", {}});
  if (!a.queuing || !b.queuing) return out;
  add_change(a.queuing->queues, b.queuing->queues, "queues", queuing + "queues", out);
  add_change(a.queuing->hand_size, b.queuing->hand_size, "as its hand size", queuing + "handSize", out);
  add_change(a.queuing->queue_length_limit, b.queuing->queue_length_limit, "as its queue length limit",
             queuing + "queueLengthLimit", out);
  return out;
}

std::string words_of(const std::vector<SpecChange>& changes) {
  std::string out;
  for (const SpecChange& change : changes) {
    if (!change.words.empty()) out += (out.empty() ? "" : ", ") + change.words;
  }
  return out;
}

namespace {

template <class Object>
const Object* find_named(const std::vector<Object>& objects, const std::string& name) {
  const auto found = std::find_if(objects.begin(), objects.end(), [&](const Object& o) { return o.meta.name == name; });
  return found == objects.end() ? nullptr : &*found;
}

// Only the mandatory objects of the first releases are maintained after they are created.
Config maintained_builtins(KubeVersion release) {
  Config out =
      bootstrap_config(release, has(release, Feature::autoupdate_annotation) ? Builtins::all : Builtins::mandatory);
  apply_defaults(out);  // also fields that the release does not have, as in what is given
  return out;
}

template <class Object>
void add_maintained(const std::vector<Object>& given, const std::vector<Object>& own, KubeVersion release,
                    std::vector<Maintained>& out) {
  for (const Object& object : given) {
    const Object* wanted = find_named(own, object.meta.name);
    const auto fate = fate_of(object, wanted);
    if (!fate || (*fate == Maintained::What::deleted && !has(release, Feature::autoupdate_annotation))) continue;
    out.push_back({*fate, kind_word(object), object.meta.name, wanted ? words_of(spec_changes(object, *wanted)) : "",
                   other_managers(object.meta)});
  }
}

template <class Object>
void drop_maintained(std::vector<Object>& given, const std::vector<Object>& own, KubeVersion release) {
  std::erase_if(given, [&](Object& object) {
    const Object* wanted = find_named(own, object.meta.name);
    const auto fate = fate_of(object, wanted);
    if (!fate) return false;
    if (*fate == Maintained::What::deleted) return has(release, Feature::autoupdate_annotation);
    if (object.meta.name != kExemptName) return true;
    Object restored = *wanted;
    keep_own_part(restored, object);
    object = std::move(restored);
    return false;
  });
}

std::string spec_words(const FlowSchema& schema) {
  return fmt::format("matchingPrecedence {}, level {}", schema.matching_precedence, schema.priority_level);
}

std::string spec_words(const PriorityLevel& level) {
  if (!level.limited || !level.limited->nominal_concurrency_shares) return "";
  return fmt::format("{} shares", *level.limited->nominal_concurrency_shares);
}

template <class Object>
void add_created(const std::vector<Object>& before, const std::vector<Object>& after, std::vector<Maintained>& out) {
  for (const Object& object : after) {
    if (object.meta.source.tree || find_named(before, object.meta.name)) continue;
    out.push_back({Maintained::What::created, kind_word(object), object.meta.name, spec_words(object), {}});
  }
}

Remark remark_of(RemarkKind kind, Maintained::What what, const std::vector<Maintained>& objects) {
  Remark out{.kind = kind, .count = 0};
  for (const Maintained& object : objects) {
    if (object.what != what) continue;
    out.name += (out.name.empty() ? "" : ", ") + object.kind + " " + object.name;
    if (!object.changes.empty()) out.name += " (" + object.changes + ")";
    ++*out.count;
  }
  return out;
}

}  // namespace

std::optional<bool> autoupdate(const ObjectMeta& meta) {
  for (const auto& [key, value] : meta.annotations) {
    if (key == kAutoupdateAnnotation) return parse_bool(value);
  }
  return std::nullopt;
}

bool has_autoupdate(const ObjectMeta& meta) {
  return std::any_of(meta.annotations.begin(), meta.annotations.end(),
                     [](const auto& a) { return a.first == kAutoupdateAnnotation; });
}

bool is_restored(const ObjectMeta& meta) {
  const std::optional<bool> updates = autoupdate(meta);
  return updates != false && (updates || !was_edited(meta));
}

bool equal_specs(const FlowSchema& a, const FlowSchema& b) { return spec_text(a) == spec_text(b); }
bool equal_specs(const PriorityLevel& a, const PriorityLevel& b) { return spec_text(a) == spec_text(b); }

void remove_maintained(Config& config, KubeVersion release) {
  const Config own = maintained_builtins(release);
  drop_maintained(config.flow_schemas, own.flow_schemas, release);
  drop_maintained(config.priority_levels, own.priority_levels, release);
}

std::vector<Maintained> maintained_objects(const Config& config, KubeVersion release) {
  std::vector<Maintained> out;
  if (!dialect_of(config).is_served()) return out;
  const Config own = maintained_builtins(release);
  add_maintained(config.flow_schemas, own.flow_schemas, release, out);
  add_maintained(config.priority_levels, own.priority_levels, release, out);
  return out;
}

std::vector<Maintained> created_objects(const Config& before, const Config& after) {
  std::vector<Maintained> out;
  add_created(before.flow_schemas, after.flow_schemas, out);
  add_created(before.priority_levels, after.priority_levels, out);
  return out;
}

std::vector<Remark> maintenance_remarks(const std::vector<Maintained>& objects) {
  std::vector<Remark> out;
  for (const auto& [kind, what] : {std::pair(RemarkKind::objects_restored, Maintained::What::restored),
                                   std::pair(RemarkKind::objects_deleted, Maintained::What::deleted)}) {
    if (Remark remark = remark_of(kind, what, objects); remark.count > 0) out.push_back(std::move(remark));
  }
  return out;
}

}  // namespace apf
