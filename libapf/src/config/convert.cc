// Defaulting and conversion of written objects (pkg/apis/flowcontrol/{v1,v1beta3,v1beta2,v1beta1}, v1.36). The rules of
// defaulting are those of the model (defaults.cc); here their results go back into what was written.
#include <apf/config.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

#include <fmt/core.h>

#include "base/releases.h"
#include "base/sort_stably.h"
#include "config/api_dialect.h"
#include "config/convert_value.h"
#include "config/decode.h"
#include "config/default_others.h"
#include "config/defaults.h"
#include "config/dialect.h"
#include "config/reader.h"

namespace apf {

namespace {

constexpr std::string_view kNominal = "nominalConcurrencyShares", kAssured = "assuredConcurrencyShares";

std::string_view shares_name(ApiVersion version) { return has_assured_shares(version) ? kAssured : kNominal; }

const StructSchema& schema_of(std::string_view kind, ApiVersion version, KubeVersion release = kNewestKubeVersion) {
  return kind == kFlowSchemaKind ? flow_schema_schema() : priority_level_schema(version, release);
}

const StructSchema& member_schema(const StructSchema& schema, std::string_view name) {
  return *std::find_if(schema.fields.begin(), schema.fields.end(), [&](const FieldSchema& f) {
            return f.name == name;
          })->fields;
}

// A number of the model, and the member that it was read from or belongs to.
void put_number(Value& object, const StructSchema& schema, std::string_view name, std::int32_t number) {
  const Value* present = object.find_present(name);
  if (present && present->text == std::to_string(number)) return;
  set_member(object, schema, name, Value::integer(number));
}

void default_flow_schema(Value& object, const ConfigNode& node, const std::string& api_version,
                         const StructSchema& schema) {
  const std::int32_t precedence = defaulted_precedence(decode_flow_schema(node, api_version));
  Value* spec = object.find("spec");
  if (!spec || spec->kind == NodeKind::null) spec = &set_member(object, schema, "spec", Value::mapping());
  put_number(*spec, member_schema(schema, "spec"), "matchingPrecedence", precedence);
}

void default_limited(Value& limited, const LimitedLevel& model, const StructSchema& schema, ApiVersion version) {
  put_number(limited, schema, shares_name(version), model.nominal_concurrency_shares.value_or(0));
  put_number(limited, schema, "lendablePercent", model.lendable_percent.value_or(0));
  if (!model.queuing) return;
  Value& queuing = *limited.find("limitResponse")->find("queuing");
  const StructSchema& fields = member_schema(member_schema(schema, "limitResponse"), "queuing");
  put_number(queuing, fields, "queues", model.queuing->queues);
  put_number(queuing, fields, "handSize", model.queuing->hand_size);
  put_number(queuing, fields, "queueLengthLimit", model.queuing->queue_length_limit);
}

// Returns the defaulted model.
PriorityLevel default_priority_level(Value& object, const ConfigNode& node, const std::string& api_version,
                                     const StructSchema& schema, ApiVersion version) {
  PriorityLevel level = decode_priority_level(node, api_version, version);
  apply_defaults(level);
  const StructSchema& spec_schema = member_schema(schema, "spec");
  if (level.limited)
    default_limited(*object.find("spec")->find("limited"), *level.limited, member_schema(spec_schema, "limited"),
                    version);
  if (level.exempt) {
    Value& exempt = *object.find("spec")->find("exempt");
    const StructSchema& fields = member_schema(spec_schema, "exempt");
    put_number(exempt, fields, kNominal, level.exempt->nominal_concurrency_shares.value_or(0));
    put_number(exempt, fields, "lendablePercent", level.exempt->lendable_percent.value_or(0));
  }
  return level;
}

class Rewriter {
 public:
  // `to` null: only defaults. `release`: who reads the objects, if that is known.
  Rewriter(const FlowControlVersion* to, std::optional<KubeVersion> release, Rewritten& out)
      : out_(out), release_(release) {
    if (to) to_ = static_cast<ApiVersion>(*to);
  }

  // The object or typed list at `root`, a document or an item of a List. `decoded`: those of the list's items that are.
  void rewrite(const ConfigNode& root, const std::string& api_version, std::string_view kind, std::string_view name,
               const ObjectSource& source, const std::set<const ConfigNode*>& decoded = {}) {
    source_ = &source;
    api_version_ = api_version;
    const auto known = std::find(std::begin(kApiVersionNames), std::end(kApiVersionNames),
                                 std::string_view(api_version).substr(api_version.find('/') + 1));
    from_ = static_cast<ApiVersion>(known - std::begin(kApiVersionNames));
    const ApiVersion written = to_.value_or(from_);
    const bool list = kind.ends_with("List");
    const std::string_view item_kind = list ? kind.substr(0, kind.size() - 4) : kind;
    Value before = Value::of(root);
    if (list) drop_undecoded(before, root, decoded);
    Value after = before;
    if (list) {
      rewrite_items(after, root, item_kind, decoded);
    } else {
      rewrite_object(after, root, item_kind, std::string(name));
      add_type(after, item_kind);
    }
    RewrittenObject object;
    object.kind = kind;
    object.name = name;
    object.span = source.tree && !list ? source.span_of("kind") : root.span();
    if (const ConfigNode* at = root.find("kind")) object.span = at->span();
    const StructSchema& schema = schema_of(item_kind, written, release_.value_or(kNewestKubeVersion));
    if (list) append_api_list_json(object.json, after, schema);
    else append_api_json(object.json, after, schema);
    object.yaml_before = to_yaml(before);
    object.yaml = to_yaml(after);
    object.changed = before != after;
    out_.objects.push_back(std::move(object));
  }

 private:
  static void drop_undecoded(Value& list, const ConfigNode& root, const std::set<const ConfigNode*>& decoded) {
    std::vector<Value> kept;
    std::vector<Value>& items = list.find("items")->items;
    const auto nodes = root.find("items")->items();
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (decoded.contains(&nodes[i])) kept.push_back(std::move(items[i]));
    }
    items = std::move(kept);
  }

  void rewrite_items(Value& list, const ConfigNode& root, std::string_view kind,
                     const std::set<const ConfigNode*>& decoded) {
    auto item = list.find("items")->items.begin();
    const auto nodes = root.find("items")->items();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!decoded.contains(&nodes[i])) continue;
      const ConfigNode* metadata = nodes[i].find_present("metadata");
      const ConfigNode* name = metadata ? metadata->find_present("name") : nullptr;
      item_path_ = fmt::format("items[{}].", i);
      rewrite_object(*item++, nodes[i], kind, name ? std::string(name->text()) : std::string());
    }
    item_path_.clear();
    set_api_version(list);
  }

  void rewrite_object(Value& object, const ConfigNode& node, std::string_view kind, std::string name) {
    kind_ = kind;
    name_ = std::move(name);
    const StructSchema& schema = schema_of(kind, from_);
    drop_unknown(object, schema);
    if (kind == kFlowSchemaKind) {
      default_flow_schema(object, node, api_version_, schema);
    } else {
      const PriorityLevel level = default_priority_level(object, node, api_version_, schema, from_);
      if (to_) convert_level(object, node, level, schema);
      if (release_) drop_later_fields(object, node, level);
    }
    set_api_version(object);
  }

  // An item of a typed list within a List need not say what it is; on its own it must.
  void add_type(Value& object, std::string_view kind) const {
    const StructSchema& schema = schema_of(kind, to_.value_or(from_));
    if (!object.find_present("kind")) set_member(object, schema, "kind", Value::string(kind));
    if (object.find_present("apiVersion")) return;
    const std::string_view version = api_version_name(to_.value_or(from_));
    set_member(object, schema, "apiVersion", Value::string(fmt::format("{}/{}", kApiGroup, version)));
  }

  void set_api_version(Value& object) const {
    if (!to_) return;
    if (Value* version = object.find("apiVersion"))
      *version = Value::string(std::string(kApiGroup) + "/" + std::string(api_version_name(*to_)));
  }

  void convert_level(Value& object, const ConfigNode& node, const PriorityLevel& level, const StructSchema& schema) {
    const bool zero = level.limited && level.limited->nominal_concurrency_shares == 0;
    convert_annotation(object, node, zero, schema);
    if (level.limited) {
      Value& limited = *object.find("spec")->find("limited");
      for (auto& [name, value] : limited.members) {
        if (name == shares_name(from_)) name = shares_name(*to_);
      }
      if (zero && has_assured_shares(*to_)) {
        lose(node, fmt::format("spec.limited.{}", shares_name(from_)),
             fmt::format("zero shares are lost: in {} assuredConcurrencyShares: 0 means the "
                         "default of 30",
                         api_version_name(*to_)));
      }
      if (zero && !has_assured_shares(*to_) && release_ && !has(*release_, Feature::stored_zero_shares))
        lose(node, fmt::format("spec.limited.{}", shares_name(from_)),
             fmt::format("zero shares are lost: Kubernetes {} takes 0 for the default of 30", release_->str()));
      // A release that is known knows its fields.
      if (!release_ && has_assured_shares(*to_))
        lose_lending(node, *level.limited,
                     *to_ == ApiVersion::v1beta2
                         ? std::string("releases before 1.26 that serve v1beta2 ignore")
                         : fmt::format("no release that serves {} knows", api_version_name(*to_)));
    }
    if (level.exempt && !release_) lose_exempt(node, *level.exempt);
  }

  // v1beta3 says with an annotation that zero shares are meant; conversion from there drops it, conversion to there
  // sets it.
  void convert_annotation(Value& object, const ConfigNode& node, bool zero, const StructSchema& schema) {
    Value* metadata = object.find("metadata");
    Value* annotations = metadata ? metadata->find("annotations") : nullptr;
    const std::string_view key = kPreserveZeroAnnotation;
    const bool known = !release_ || has(*release_, Feature::preserve_zero_shares_annotation);
    const bool set = zero && known && *to_ == ApiVersion::v1beta3;
    if (from_ == ApiVersion::v1beta3 && annotations && annotations->find(key)) {
      if (set) {
        *annotations->find(key) = Value::string("");
        return;
      }
      annotations->erase(key);
      if (annotations->members.empty()) metadata->erase("annotations");
      lose(node, fmt::format("metadata.annotations[{}]", key),
           "the annotation is dropped: only v1beta3 has a meaning for it");
      return;
    }
    if (*to_ == ApiVersion::v1beta3 && annotations && annotations->find(key)) {
      const Value& value = *annotations->find(key);
      if (zero && value.text.empty()) return;
      lose(node, fmt::format("metadata.annotations[{}]", key),
           "in v1beta3 the annotation has a special meaning, and the server drops it");
      return;
    }
    if (!set) return;
    if (!metadata || metadata->kind == NodeKind::null)
      metadata = &set_member(object, schema, "metadata", Value::mapping());
    annotations = metadata->find("annotations");
    if (!annotations || annotations->kind == NodeKind::null) {
      annotations = &set_member(*metadata, member_schema(schema, "metadata"), "annotations", Value::mapping());
    }
    annotations->members.emplace_back(key, Value::string(""));
  }

  // What the release has no field for.
  void drop_later_fields(Value& object, const ConfigNode& node, const PriorityLevel& level) {
    drop_unknown(object, schema_of(kind_, to_.value_or(from_), *release_));
    const std::string who = fmt::format("Kubernetes {} does not know", release_->str());
    if (level.limited && !has(*release_, Feature::borrowing)) lose_lending(node, *level.limited, who);
    if (level.exempt && says_something(*level.exempt) && !has(*release_, Feature::exempt_level_has_seats))
      lose(node, "spec.exempt", fmt::format("{} spec.exempt", who));
  }

  // Fields that came with later releases than those that serve the version.
  void lose_lending(const ConfigNode& node, const LimitedLevel& limited, const std::string& who) {
    if (limited.lendable_percent.value_or(0) != 0)
      lose(node, "spec.limited.lendablePercent", fmt::format("{} lendablePercent", who));
    if (limited.borrowing_limit_percent)
      lose(node, "spec.limited.borrowingLimitPercent", fmt::format("{} borrowingLimitPercent", who));
  }

  static bool says_something(const ExemptLevel& exempt) {
    return exempt.nominal_concurrency_shares.value_or(0) != 0 || exempt.lendable_percent.value_or(0) != 0;
  }

  void lose_exempt(const ConfigNode& node, const ExemptLevel& exempt) {
    if (*to_ == ApiVersion::v1) return;
    if (!says_something(exempt)) return;
    lose(node, "spec.exempt",
         *to_ >= ApiVersion::v1beta1
             ? fmt::format("no release that serves {} has spec.exempt", api_version_name(*to_))
             : fmt::format("releases before 1.28 that serve {} ignore spec.exempt", api_version_name(*to_)));
  }

  void lose(const ConfigNode& node, std::string field, std::string message) {
    Diagnostic d;
    d.severity = Severity::warning;
    d.span = field_span(find_field(node, field));
    d.document = source_->document;
    d.api_version = api_version_;
    d.kind = kind_;
    d.object_name = name_to_tell(name_);
    d.field = item_path_ + field;
    d.message = d.field + ": " + message;
    out_.losses.push_back(std::move(d));
  }

  Rewritten& out_;
  const std::optional<KubeVersion> release_;
  std::optional<ApiVersion> to_;
  ApiVersion from_ = ApiVersion::v1;
  const ObjectSource* source_ = nullptr;
  std::string api_version_, kind_, name_, item_path_;
};

// Where an object is: in a document of its own, in a List, or in a typed list.
struct Place {
  std::size_t text = 0;  // index of its file
  const ObjectMeta* meta = nullptr;
  std::string_view kind;
};

// The root of the document that an object was read from.
const ConfigNode* document_root(const ObjectSource& source) {
  const auto& documents = source.tree->tree().documents();
  const auto at = std::lower_bound(documents.begin(), documents.end(), source.document,
                                   [](const ConfigDocument& document, int index) { return document.index < index; });
  return at == documents.end() ? nullptr : at->root;
}

// What a typed list makes of its items; nothing for any other object.
std::string typed_list_item_kind(const ConfigNode& root) {
  const ConfigNode* kind = root.find_present("kind");
  if (!kind || (kind->text() != "FlowSchemaList" && kind->text() != "PriorityLevelConfigurationList")) return {};
  return std::string(kind->text().substr(0, kind->text().size() - std::string_view("List").size()));
}

std::vector<Place> places_of(const LoadedConfig& loaded, std::span<const ConfigText> texts) {
  std::vector<Place> places;
  std::unordered_map<std::string_view, std::size_t> order;
  for (const ConfigText& text : texts) order.emplace(text.name, order.size());
  const auto add = [&](const ObjectMeta& meta, std::string_view kind) {
    if (meta.source.tree) places.push_back({order.at(meta.source.file), &meta, kind});
  };
  for (const Config* config : {&loaded.config, &loaded.replaced}) {
    for (const FlowSchema& schema : config->flow_schemas) add(schema.meta, kFlowSchemaKind);
    for (const PriorityLevel& level : config->priority_levels) add(level.meta, kPriorityLevelKind);
  }
  sort_stably(places, [](const Place& a, const Place& b) {
    return std::make_tuple(a.text, a.meta->source.tree->begin()) <
           std::make_tuple(b.text, b.meta->source.tree->begin());
  });
  return places;
}

// A typed list whose items are what it says. Others, which only clients write, are unfolded like a List.
bool is_uniform_list(const ConfigNode* root, std::vector<Place>::const_iterator place,
                     std::vector<Place>::const_iterator end) {
  const std::string kind = root ? typed_list_item_kind(*root) : std::string();
  if (kind.empty()) return false;
  const ConfigNode* version = root->find_present("apiVersion");
  return std::all_of(place, end,
                     [&](const Place& item) { return item.kind == kind && item.meta->api_version == version->text(); });
}

Rewritten rewrite_all(const LoadedConfig& loaded, std::span<const ConfigText> texts, const FlowControlVersion* to,
                      std::optional<KubeVersion> release) {
  Rewritten out;
  Rewriter rewriter(to, release, out);
  const std::vector<Place> places = places_of(loaded, texts);
  for (auto place = places.begin(); place != places.end();) {
    const ConfigNode* root = document_root(place->meta->source);
    const auto end =
        std::find_if(place + 1, places.end(), [&](const Place& p) { return document_root(p.meta->source) != root; });
    if (is_uniform_list(root, place, end)) {
      std::set<const ConfigNode*> decoded;
      for (auto item = place; item != end; ++item) decoded.insert(item->meta->source.tree.get());
      rewriter.rewrite(*root, place->meta->api_version, root->find("kind")->text(), {}, place->meta->source, decoded);
      place = end;
      continue;
    }
    for (; place != end; ++place) {
      const ObjectSource& source = place->meta->source;
      rewriter.rewrite(*source.tree, place->meta->api_version, place->kind, place->meta->name, source);
    }
  }
  return out;
}

}  // namespace

Rewritten rewrite_api_objects(const LoadedConfig& loaded, std::span<const ConfigText> texts,
                              const FlowControlVersion* to, std::optional<KubeVersion> release) {
  return rewrite_all(loaded, texts, to, release);
}

Rewritten default_objects(const LoadedConfig& loaded, std::span<const ConfigText> texts,
                          std::optional<KubeVersion> release) {
  Rewritten out = dialect_of(loaded.config).default_objects(loaded, texts, release);
  std::vector<RewrittenObject> others = default_others(loaded);
  std::unordered_map<std::string_view, std::size_t> order;
  for (const ConfigText& text : texts) order.emplace(text.name, order.size());
  const auto place = [&](const RewrittenObject& object) {
    const auto text = order.find(object.span.file);
    return std::make_tuple(text == order.end() ? 0 : text->second, object.span.line, object.span.column);
  };
  sort_stably(others, [&](const RewrittenObject& a, const RewrittenObject& b) { return place(a) < place(b); });
  // Each before the first object that is behind it in the texts.
  auto at = out.objects.begin();
  for (RewrittenObject& other : others) {
    at = std::find_if(at, out.objects.end(), [&](const RewrittenObject& o) { return place(other) < place(o); });
    at = out.objects.insert(at, std::move(other)) + 1;
  }
  return out;
}

FlowControlVersion newest_served(KubeVersion release) {
  // Both lists are ordered from the newest version to the oldest.
  return static_cast<FlowControlVersion>(&newest_lifecycle(release) - api_lifecycles().data());
}

bool serves(KubeVersion release, FlowControlVersion version) {
  return api_lifecycles()[static_cast<std::size_t>(version)].is_served(release);
}

Rewritten convert_objects(const LoadedConfig& loaded, std::span<const ConfigText> texts, FlowControlVersion to,
                          std::optional<KubeVersion> release) {
  return dialect_of(loaded.config).convert_objects(loaded, texts, to, release);
}

}  // namespace apf
