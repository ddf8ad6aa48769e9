// Texts into a Config: every document is sorted by kind, lists are unfolded, objects are checked, decoded and, where
// one comes again, replaced.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include <apf/config.h>

#include "config/admission_objects.h"
#include "config/audit_policy.h"
#include "config/closest.h"
#include "config/codes.h"
#include "config/decode.h"
#include "config/dialect.h"
#include "config/go_json.h"
#include "config/kinds.h"
#include "config/limit_range.h"
#include "config/reader.h"
#include "config/resource_quota.h"

namespace apf {

namespace {

constexpr std::string_view kKinds[] = {kFlowSchemaKind, kPriorityLevelKind};
constexpr std::string_view kListKinds[] = {"FlowSchemaList", "PriorityLevelConfigurationList"};

bool is_flow_control_kind(std::string_view kind) {
  return std::find(std::begin(kKinds), std::end(kKinds), kind) != std::end(kKinds);
}

std::string name_of(const ConfigNode& object) {
  const ConfigNode* metadata = object.find("metadata");
  return metadata ? metadata->find_string("name") : std::string();
}

struct TypeMeta {
  std::string api_version, kind;
};

void append_json(std::string& out, const ConfigNode& node) {
  switch (node.kind()) {
    case NodeKind::null:
      out += "null";
      return;
    case NodeKind::boolean:
      out += node.boolean() ? "true" : "false";
      return;
    case NodeKind::integer:
    case NodeKind::floating:
      out += node.number_text();
      return;
    case NodeKind::string:
      append_go_json(out, node.text());
      return;
    case NodeKind::sequence:
      out += '[';
      for (const ConfigNode& item : node.items()) {
        if (&item != node.items().data()) out += ',';
        append_json(out, item);
      }
      out += ']';
      return;
    case NodeKind::mapping:
      break;
  }
  std::map<std::string_view, const ConfigNode*> members;  // of duplicates the last one is used
  for (const ConfigEntry& entry : node.entries()) members[entry.key.text()] = &entry.value;
  char before = '{';
  for (const auto& [key, value] : members) {
    out += std::exchange(before, ',');
    append_go_json(out, key);
    out += ':';
    append_json(out, *value);
  }
  out += members.empty() ? "{}" : "}";
}

// An object as the server's decoder gets it: JSON as written, YAML converted to JSON as clients do.
std::string body_text(const ConfigNode& object) {
  const std::string_view text = object.tree().text().substr(object.begin(), object.end() - object.begin());
  const bool json = text.starts_with('{') && object.tree().name().ends_with(".json");
  if (json) return std::string(text);
  std::string out;
  append_json(out, object);
  return out;
}

bool lists_objects(const ConfigNode& node) {
  return node.is_sequence() && !node.items().empty() &&
         std::all_of(node.items().begin(), node.items().end(), is_api_object);
}

// Counts keys and values down to `left`; false as soon as there are more.
bool count_values(const ConfigNode& node, std::size_t& left) {
  if (left == 0) return false;
  --left;
  for (const ConfigNode& item : node.items()) {
    if (!count_values(item, left)) return false;
  }
  for (const ConfigEntry& entry : node.entries()) {
    if (!count_values(entry.value, left)) return false;
  }
  return true;
}

bool has_more_values(const ConfigNode& node, std::size_t most) { return !count_values(node, most); }

template <class Object>
const char* name_field(const Object& object) {
  if constexpr (requires { dialect_of(object); }) return dialect_of(object).name_field();
  else return "metadata.name";
}

class Loader {
 public:
  explicit Loader(LoadedConfig& out) : out_(out) {}

  void load(const ConfigText& text) {
    tree_ = read_manifests(text, out_.diagnostics);
    first_ = out_.diagnostics.size();
    for (const ConfigDocument& document : tree_->documents()) {
      document_ = document.index;
      if (is_full(*document.root)) break;
      if (document.root->is_null()) continue;
      load_object(*document.root, {});
    }
    out_.documents += tree_->document_count();
  }

 private:
  Diagnostic& add(const ConfigCode& code, Severity severity, const ConfigNode& at, std::string message,
                  const TypeMeta& type, std::string name) {
    Diagnostic d = make_diagnostic(*tree_, code, severity, at.begin(), at.end(), std::move(message), document_);
    d.api_version = type.api_version;
    d.kind = type.kind;
    d.object_name = name_to_tell(name);
    out_.diagnostics.push_back(std::move(d));
    return out_.diagnostics.back();
  }

  // True once more was found in this text than anybody reads; said once.
  bool is_full(const ConfigNode& at) {
    const std::size_t found = out_.diagnostics.size() - first_;
    if (found == kMostFaults) {
      add(kTooLarge, Severity::error, at,
          fmt::format("this file has more than {} errors; the rest is not read", kMostFaults), {}, {});
    }
    return found >= kMostFaults;
  }

  // A string member of the object's head. False if it is of another type, which is reported.
  bool read_head(const ConfigNode& object, std::string_view key, std::string& value) {
    const ConfigNode* node = object.find(key);
    if (!node || node->is_null()) return true;
    if (!node->is_string()) {
      add(kWrongType, Severity::error, *node, fmt::format("{}: expected a string", key), {}, name_of(object)).field =
          key;
      return false;
    }
    if (!node->text().empty()) value = node->text();
    return true;
  }

  // Where to point for an object as a whole: at its kind, else at its first key.
  static const ConfigNode& head_of(const ConfigNode& object) {
    if (const ConfigNode* kind = object.find("kind")) return *kind;
    return object.is_mapping() && !object.entries().empty() ? object.entries().front().key : object;
  }

  // `inherited` is what the items of a typed list need not repeat.
  void load_object(const ConfigNode& object, const TypeMeta& inherited) {
    if (!object.is_mapping()) {
      const char* const found = object.is_sequence() ? "a list" : "a single value";
      Diagnostic& d =
          add(kNotAnObject, Severity::error, object,
              fmt::format("expected a Kubernetes object with apiVersion and kind, found {}", found), {}, {});
      if (lists_objects(object))
        d.notes.push_back({object.style() == NodeStyle::flow
                               ? "kubectl refuses a list of objects, too: jq '.[]' makes documents of it"
                               : "kubectl refuses a list of objects, too: write each as a document of its own, with a "
                                 "line '---' between them",
                           {}});
      return;
    }
    TypeMeta type = inherited;
    if (!read_head(object, "kind", type.kind) || !read_head(object, "apiVersion", type.api_version)) return;
    if (const Dialect* foreign = foreign_dialect(object, type.api_version, type.kind))
      return load_foreign(object, type, *foreign);
    if (type.kind.empty() || type.api_version.empty()) return report_missing(object, type);
    if (type.kind == "List" && type.api_version == "v1") return load_items(object, {});

    if (type.kind == kResourceQuotaKind && type.api_version.find('/') == std::string::npos)
      return decode_quota(object, type);
    if (type.kind == "ResourceQuotaList" && type.api_version == "v1")
      return load_items(object, {type.api_version, "ResourceQuota"});
    if (type.kind == kLimitRangeKind && type.api_version.find('/') == std::string::npos)
      return load_limit_range(object, type);
    if (is_audit_policy(type.api_version, type.kind)) return load_audit_policy(object, type);
    if (is_resource_quota_configuration(type.api_version, type.kind)) return decode_quota_configuration(object, type);

    const std::size_t slash = type.api_version.find('/');
    const std::string_view group = std::string_view(type.api_version).substr(0, slash == std::string::npos ? 0 : slash);
    const std::string_view version =
        std::string_view(type.api_version).substr(slash == std::string::npos ? 0 : slash + 1);
    const bool typed_list = std::find(std::begin(kListKinds), std::end(kListKinds), type.kind) != std::end(kListKinds);
    if (is_admission_object(group, type.kind)) return load_admission(object, type);
    if (type.kind == "LimitRangeList" && type.api_version == "v1")
      return load_items(object, {type.api_version, "LimitRange"});
    if (group != kApiGroup && !is_flow_control_kind(type.kind) && !typed_list) {
      if (const OwnKind* meant = meant_kind(object, type.api_version, type.kind)) {
        if (type.kind != meant->kind) return report_kind(object, type, did_you_mean(meant->kind));
        report_unknown_version(object, type)
            .notes.push_back({fmt::format("write apiVersion: {}", meant->api_version), {}});
        return;
      }
      out_.skipped.push_back({type.api_version, type.kind, name_of(object), head_of(object).span()});
      return;
    }
    const auto known = std::find(std::begin(kApiVersionNames), std::end(kApiVersionNames), version);
    if (group != kApiGroup || known == std::end(kApiVersionNames)) return report_version(object, type, group);
    if (typed_list) return load_items(object, {type.api_version, type.kind.substr(0, type.kind.size() - 4)});
    if (!is_flow_control_kind(type.kind)) {
      const std::string_view near = closest(type.kind, kKinds);
      return report_kind(object, type,
                         near.empty() ? fmt::format("the kinds are {} and {}", kFlowSchemaKind, kPriorityLevelKind)
                                      : did_you_mean(near));
    }
    decode(object, type, static_cast<ApiVersion>(known - std::begin(kApiVersionNames)));
  }

  void load_admission(const ConfigNode& object, const TypeMeta& type) {
    const ObjectLabel label{type.api_version, type.kind, {}, document_};
    if (is_too_large(object, type, {})) return;
    for (const ConfigNode* configuration : load_admission_object(object, label, tree_, out_))
      load_object(*configuration, {});
  }

  void load_items(const ConfigNode& list, const TypeMeta& inherited) {
    const ConfigNode* items = list.find("items");
    if (!items || items->is_null()) return;
    if (!items->is_sequence()) {
      add(kWrongType, Severity::error, *items, "items: expected a list", inherited, {}).field = "items";
      return;
    }
    for (const ConfigNode& item : items->items()) {
      if (is_full(item)) return;
      load_object(item, inherited);
    }
  }

  ObjectSource source_of(const ConfigNode& object) {
    return {std::shared_ptr<const ConfigNode>(tree_, &object), tree_->name(), document_};
  }

  // Said of the object; then it is left out.
  bool is_too_large(const ConfigNode& object, const TypeMeta& type, std::string name) {
    if (!has_more_values(object, kMostValues)) return false;
    add(kTooLarge, Severity::error, head_of(object),
        fmt::format("this {} holds more than {} values: it isn't checked", type.kind, kMostValues), type,
        std::move(name));
    return true;
  }

  void decode_quota(const ConfigNode& object, const TypeMeta& type) {
    if (type.api_version != "v1") {
      report_unknown_version(object, type).notes.push_back({"the version of ResourceQuota is v1", {}});
      return;
    }
    const ObjectLabel label{type.api_version, type.kind, name_to_tell(name_of(object)), document_};
    if (is_too_large(object, type, label.name)) return;
    const bool decodable = check_fields(object, resource_quota_schema(), ApiVersion::v1, label, out_.diagnostics);
    if (report_template(object, label) || !decodable) return;
    ResourceQuota quota = decode_resource_quota(object, type.api_version);
    quota.meta.source = source_of(object);
    // Without a namespace two files are most likely for two namespaces.
    const std::string place = (quota.ns.empty() ? "\n" + tree_->name() : quota.ns) + selector_of(quota.meta);
    keep(out_.resource_quotas, out_.replaced_resource_quotas, std::move(quota), type, place);
  }

  void load_limit_range(const ConfigNode& object, const TypeMeta& type) {
    if (type.api_version != "v1") {
      report_unknown_version(object, type).notes.push_back({"the version of LimitRange is v1", {}});
      return;
    }
    const ObjectLabel label{type.api_version, type.kind, name_to_tell(name_of(object)), document_};
    if (is_too_large(object, type, label.name)) return;
    const bool decodable = check_fields(object, limit_range_schema(), ApiVersion::v1, label, out_.diagnostics);
    if (report_template(object, label) || !decodable) return;
    out_.limit_ranges.push_back(decode_limit_range(object, type.api_version));
    out_.limit_ranges.back().meta.source = source_of(object);
  }

  void load_audit_policy(const ConfigNode& object, const TypeMeta& type) {
    if (is_too_large(object, type, {})) return;
    if (auto decoded = decode_audit_policy(source_of(object), out_.diagnostics))
      out_.audit_policies.push_back(std::move(*decoded));
    if (document_ > 0)
      add(kIgnoredDocument, Severity::warning, head_of(object),
          "kube-apiserver reads only the first document of its audit policy file", type, {});
  }

  void decode_quota_configuration(const ConfigNode& object, const TypeMeta& type) {
    if (is_too_large(object, type, name_to_tell(name_of(object)))) return;
    auto decoded = decode_resource_quota_configuration(source_of(object), out_.diagnostics);
    if (decoded) out_.resource_quota_configurations.push_back(std::move(*decoded));
  }

  void decode(const ConfigNode& object, const TypeMeta& type, ApiVersion version) {
    const ObjectLabel label{type.api_version, type.kind, name_to_tell(name_of(object)), document_};
    if (refuse_mixed(object, type, label.name, api_dialect()) || is_too_large(object, type, label.name)) return;
    const bool is_schema = type.kind == kFlowSchemaKind;
    const StructSchema& schema = is_schema ? flow_schema_schema() : priority_level_schema(version);
    const bool decodable = check_fields(object, schema, version, label, out_.diagnostics);
    if (report_template(object, label) || !decodable) return;
    ObjectSource source = source_of(object);
    if (is_schema) {
      FlowSchema decoded = decode_flow_schema(object, type.api_version);
      decoded.meta.source = std::move(source);
      keep(out_.config.flow_schemas, out_.replaced.flow_schemas, std::move(decoded), type);
    } else {
      PriorityLevel decoded = decode_priority_level(object, type.api_version, version);
      decoded.meta.source = std::move(source);
      keep(out_.config.priority_levels, out_.replaced.priority_levels, std::move(decoded), type);
    }
  }

  // A template can be valid YAML by accident if its braces are inside quotes.
  bool report_template(const ConfigNode& object, const ObjectLabel& label) {
    for (const char* field : {"metadata.name", "metadata.namespace", "spec.priorityLevelConfiguration.name"}) {
      const FieldPosition at = find_field(object, field);
      if (!at.exact || at.value->text().find("{{") == std::string_view::npos) continue;
      add(kHelmTemplate, Severity::error, *at.value, kTemplateMessage, {label.api_version, label.kind}, label.name)
          .field = field;
      return true;
    }
    return false;
  }

  template <class Object>
  void keep(std::vector<Object>& objects, std::vector<Object>& replaced, Object&& object, const TypeMeta& type,
            const std::string& place = {}) {
    if (object.meta.name.empty()) {
      objects.push_back(std::move(object));
      return;
    }
    const auto [where, fresh] = places_.try_emplace({type.kind, place, object.meta.name}, objects.size());
    if (fresh) {
      objects.push_back(std::move(object));
      return;
    }
    Object& earlier = objects[where->second];
    if (selector_of(earlier.meta) != selector_of(object.meta)) {  // one cluster has the one, another one the other
      replaced.push_back(std::move(object));
      return;
    }
    const std::string field = name_field(object);
    const FieldPosition name = find_field(*object.meta.source.tree, field);
    Diagnostic& d =
        add(kDuplicateObject, Severity::warning, *name.value,
            fmt::format("{} \"{}\" is defined again and replaces the earlier one", type.kind, object.meta.name), type,
            object.meta.name);
    d.field = field;
    d.notes.push_back({"the earlier one is here", earlier.meta.source.span_of(name_field(earlier))});
    replaced.push_back(std::exchange(earlier, std::move(object)));
  }

  void load_foreign(const ConfigNode& object, const TypeMeta& type, const Dialect& dialect) {
    const ObjectLabel label{{}, type.kind, name_to_tell(foreign_name(object)), document_};
    if (refuse_mixed(object, type, label.name, dialect)) return;
    if (is_too_large(object, type, label.name)) return;
    auto decoded = decode_foreign(object, label, out_.diagnostics);
    if (!decoded) return;
    std::visit([&](auto& decoded_object) { decoded_object.meta.source = source_of(object); }, *decoded);
    if (auto* schema = std::get_if<FlowSchema>(&*decoded)) {
      keep(out_.config.flow_schemas, out_.replaced.flow_schemas, std::move(*schema), type);
    } else {
      keep(out_.config.priority_levels, out_.replaced.priority_levels, std::move(std::get<PriorityLevel>(*decoded)),
           type);
    }
  }

  // One configuration is in one dialect. Objects of another one are left out, and the first of them is reported.
  bool refuse_mixed(const ConfigNode& object, const TypeMeta& type, const std::string& name, const Dialect& dialect) {
    if (!dialect_) {
      dialect_ = &dialect;
      first_object_ = head_of(object).span();
    }
    if (dialect_ == &dialect) return false;
    if (std::exchange(said_mixed_, true)) return true;
    Diagnostic& d =
        add(kMixedDialects, Severity::error, head_of(object),
            fmt::format("this {} is written in {}, and an object before it in {}: one configuration must be "
                        "in one of the two",
                        type.kind, dialect.words(), dialect_->words()),
            type, name);
    d.notes.push_back({"the first object is here; those of the other dialect are left out", first_object_});
    return true;
  }

  void report_missing(const ConfigNode& object, const TypeMeta& type) {
    const bool kind = type.kind.empty();
    const char* const what = kind && type.api_version.empty() ? "kind and apiVersion are"
                             : kind                           ? "kind is"
                                                              : "apiVersion is";
    Diagnostic& d =
        add(kMissingKind, Severity::error, head_of(object), fmt::format("{} missing", what), type, name_of(object));
    // A file of kube-apiserver's own is decoded as written.
    const bool whole = type.kind == "Configuration" && tree_->document_count() == 1;
    d.detail = fmt::format("Object '{}' is missing in '{}'", kind ? "Kind" : "apiVersion",
                           whole ? std::string(tree_->text()) : body_text(object));
    if (is_flow_control_kind(type.kind)) d.notes.push_back({fmt::format("write apiVersion: {}/v1", kApiGroup), {}});
  }

  Diagnostic& report_unknown_version(const ConfigNode& object, const TypeMeta& type) {
    const ConfigNode* at = object.find("apiVersion");
    Diagnostic& d = add(kUnknownApiVersion, Severity::error, at ? *at : head_of(object),
                        fmt::format("no kind \"{}\" is registered for version \"{}\"", type.kind, type.api_version),
                        type, name_of(object));
    d.field = "apiVersion";
    d.detail = fmt::format("{} in scheme \"{}\"", d.message, kScheme);
    return d;
  }

  void report_version(const ConfigNode& object, const TypeMeta& type, std::string_view group) {
    Diagnostic& d = report_unknown_version(object, type);
    if (group != kApiGroup) {
      d.notes.push_back(
          {fmt::format("{} belongs to the API group {}; write apiVersion: {}/v1", type.kind, kApiGroup, kApiGroup),
           {}});
    } else {
      d.notes.push_back({"the versions are v1, v1beta3, v1beta2, v1beta1 and v1alpha1", {}});
    }
  }

  void report_kind(const ConfigNode& object, const TypeMeta& type, std::string cure) {
    Diagnostic& d = report_unknown_version(object, type);
    d.span = head_of(object).span();
    d.field = "kind";
    d.notes.push_back({std::move(cure), {}});
  }

  LoadedConfig& out_;
  std::size_t first_ = 0;  // diagnostic of this text's objects
  std::shared_ptr<ConfigTree> tree_;
  int document_ = 0;
  std::map<std::array<std::string, 3>, std::size_t> places_;  // kind, namespace and name -> index in its list
  const Dialect* dialect_ = nullptr;                          // of all texts; null before the first object
  Span first_object_;
  bool said_mixed_ = false;
};

}  // namespace

bool LoadedConfig::has_errors() const {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::error; });
}

std::size_t LoadedConfig::object_count() const {
  std::set<std::tuple<std::string, int, std::string, std::string>> broken;
  for (const Diagnostic& d : diagnostics) {
    const bool decoded = d.code == kMissingPluginFile.code;  // what it names is not there
    if (d.severity == Severity::error && !d.kind.empty() && !decoded)
      broken.emplace(d.span.file, d.document, d.kind, d.object_name);
  }
  std::size_t count = broken.size();
  for (const Config* part : {&config, &replaced}) count += part->flow_schemas.size() + part->priority_levels.size();
  count += event_rate_limits.size() + admission_configurations.size() + audit_policies.size();
  count += limit_ranges.size();
  return count + resource_quotas.size() + replaced_resource_quotas.size() + resource_quota_configurations.size();
}

LoadedConfig load_config(std::span<const ConfigText> texts) {
  LoadedConfig loaded;
  Loader loader(loaded);
  for (const ConfigText& text : texts) loader.load(text);
  check_plugin_paths(loaded);
  sort_diagnostics(loaded.diagnostics);
  return loaded;
}

}  // namespace apf
