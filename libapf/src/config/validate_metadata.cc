// Metadata rules common to all kinds (k8s.io/apimachinery/pkg/api/validation/objectmeta.go and
// pkg/apis/core/validation of kube-apiserver, v1.36). What the model lacks is read from the object's tree.
#include <algorithm>
#include <set>
#include <unordered_set>

#include <fmt/core.h>

#include "base/go_quote.h"
#include "base/releases.h"
#include "base/text.h"
#include "base/utf8.h"
#include "config/convert_value.h"
#include "config/decode.h"
#include "config/go_json.h"
#include "config/tree.h"
#include "config/validate_names.h"
#include "config/validate_object.h"

namespace apf {

namespace {

constexpr std::size_t kMaxAnnotations = 256 * 1024;
constexpr std::size_t kMaxFieldManager = 128, kMaxSubresource = 256;
// One controller too many prints all owners. The server does so for every one of them; here it ends where thousands of
// them would print gigabytes.
constexpr std::size_t kMostOwnersText = 4 << 20;
constexpr const char* kImmutable = "field is immutable";

const ConfigNode* metadata_of(const ObjectMeta& meta) {
  return meta.source.tree ? meta.source.tree->find_present("metadata") : nullptr;
}

const ConfigNode* present(const ConfigNode* node, std::string_view name) {
  return node ? node->find_present(name) : nullptr;
}

std::optional<std::int64_t> integer_of(const ConfigNode* node, std::string_view name) {
  const ConfigNode* value = present(node, name);
  return value ? value->integer() : std::nullopt;
}

std::span<const ConfigNode> items_of(const ConfigNode* node, std::string_view name) {
  const ConfigNode* value = present(node, name);
  return value ? value->items() : std::span<const ConfigNode>();
}

std::string string_item(const ConfigNode& node) { return node.is_null() ? std::string() : std::string(node.text()); }

void validate_labels(const ConfigNode* metadata, FieldErrors& errors, const FieldPath& path) {
  const ConfigNode* labels = present(metadata, "labels");
  if (!labels) return;
  std::unordered_set<std::string_view> seen;
  for (const ConfigEntry& entry : labels->entries()) {
    const std::string_view key = entry.key.text();
    if (!seen.insert(key).second) continue;
    const std::string where = fmt::format("metadata.labels[{}]", key);
    for (std::string& fault : label_key_faults(key, errors.version())) {
      errors.invalid(kInvalidLabel, path, go_quote(key), std::move(fault));
      errors.point_at_key(where);
    }
    const std::string value = decode_string(labels, key);
    for (std::string& fault : label_value_faults(value, errors.version()))
      errors.invalid(kInvalidLabel, path, go_quote(value), std::move(fault), where);
  }
}

void validate_annotations(const ObjectMeta& meta, FieldErrors& errors, const FieldPath& path) {
  std::size_t size = 0;
  for (const auto& [key, value] : meta.annotations) {
    size += key.size() + value.size();
    for (std::string& fault : label_key_faults(in_lower_case(key), errors.version())) {
      errors.invalid(kInvalidAnnotation, path, go_quote(key), std::move(fault));
      errors.point_at_key(fmt::format("metadata.annotations[{}]", key));
    }
  }
  if (size > kMaxAnnotations) errors.too_long(kInvalidAnnotation, path, static_cast<int>(kMaxAnnotations));
}

std::string owner_json(const ConfigNode& owner) {
  std::string out = "{";
  for (const char* name : {"apiVersion", "kind", "name", "uid"}) {
    if (out.size() > 1) out += ',';
    out += fmt::format("\"{}\":{}", name, go_json(decode_string(&owner, name)));
  }
  for (const char* name : {"controller", "blockOwnerDeletion"}) {
    if (const ConfigNode* flag = owner.find_present(name)) out += fmt::format(",\"{}\":{}", name, flag->boolean());
  }
  return out + "}";
}

std::string owners_json(std::span<const ConfigNode> owners) {
  std::string out = "[";
  for (const ConfigNode& owner : owners) out += (out.size() > 1 ? "," : "") + owner_json(owner);
  return out + "]";
}

// "apps/v1" has the version v1; more than one slash is no version at all, and then there is no group either.
void split_api_version(std::string_view text, std::string_view& group, std::string_view& version) {
  const std::size_t slash = text.find('/');
  group = version = {};
  if (slash == text.npos) {
    version = text;
  } else if (text.find('/', slash + 1) == text.npos) {
    group = text.substr(0, slash);
    version = text.substr(slash + 1);
  }
}

void validate_owners(const ConfigNode* metadata, FieldErrors& errors, const FieldPath& path) {
  const auto owners = items_of(metadata, "ownerReferences");
  std::string controller, all;
  std::size_t printed = 0;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const ConfigNode& owner = owners[i];
    const std::string where = fmt::format("metadata.ownerReferences[{}]", i);
    const std::string api_version = decode_string(&owner, "apiVersion"), kind = decode_string(&owner, "kind");
    const std::string name = decode_string(&owner, "name");
    std::string_view group, version;
    split_api_version(api_version, group, version);
    if (version.empty()) {
      errors.invalid(kInvalidMetadata, path.child("apiVersion"), go_quote(api_version), "version must not be empty",
                     where + ".apiVersion");
    }
    if (kind.empty())
      errors.invalid(kInvalidMetadata, path.child("kind"), "\"\"", "must not be empty", where + ".kind");
    if (name.empty())
      errors.invalid(kInvalidMetadata, path.child("name"), "\"\"", "must not be empty", where + ".name");
    if (decode_string(&owner, "uid").empty())
      errors.invalid(kInvalidMetadata, path.child("uid"), "\"\"", "must not be empty", where + ".uid");
    if (group.empty() && version == "v1" && kind == "Event") {
      errors.invalid(kInvalidMetadata, path, owner_json(owner), "/v1, Kind=Event is disallowed from being an owner",
                     where);
    }
    const ConfigNode* flag = owner.find_present("controller");
    if (!flag || !flag->boolean()) continue;
    const std::string current = kind + "/" + name;
    if (controller.empty()) {
      controller = current;
      continue;
    }
    if (all.empty()) all = owners_json(owners);
    printed += all.size() + controller.size();
    if (printed > kMostOwnersText) return;
    errors.invalid(kInvalidMetadata, path, all,
                   fmt::format("Only one reference can have Controller set to true. Found \"true\" in references for "
                               "{} and {}",
                               controller, current),
                   where);
  }
}

std::vector<std::string> finalizers_of(const ConfigNode* metadata) {
  std::vector<std::string> finalizers;
  for (const ConfigNode& item : items_of(metadata, "finalizers")) finalizers.push_back(string_item(item));
  return finalizers;
}

void validate_finalizers(const std::vector<std::string>& finalizers, FieldErrors& errors, const FieldPath& path) {
  for (std::size_t i = 0; i < finalizers.size(); ++i) {
    for (std::string& fault : label_key_faults(finalizers[i], errors.version())) {
      errors.invalid(kInvalidMetadata, path, go_quote(finalizers[i]), std::move(fault),
                     fmt::format("metadata.finalizers[{}]", i));
    }
  }
  const auto holds = [&](const char* name) {
    return std::find(finalizers.begin(), finalizers.end(), name) != finalizers.end();
  };
  if (holds("orphan") && holds("foregroundDeletion")) {
    errors.invalid(kInvalidMetadata, path, go_json(finalizers),
                   "finalizer orphan and foregroundDeletion cannot be both set");
  }
}

void validate_finalizers_qualified(const std::vector<std::string>& finalizers, FieldErrors& errors,
                                   const FieldPath& path) {
  for (std::size_t i = 0; i < finalizers.size(); ++i) {
    const std::string& name = finalizers[i];
    const bool standard = name == "kubernetes" || name == "orphan" || name == "foregroundDeletion";
    if (standard || name.find('/') != std::string::npos) continue;
    errors.invalid(kInvalidMetadata, path.at(i), go_quote(name),
                   "name is neither a standard finalizer name nor is it fully qualified");
  }
}

void validate_managed_fields(const ConfigNode* metadata, FieldErrors& errors, const FieldPath& path) {
  const auto entries = items_of(metadata, "managedFields");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const FieldPath entry = path.at(i);
    const std::string operation = decode_string(&entries[i], "operation"),
                      type = decode_string(&entries[i], "fieldsType");
    if (operation != "Apply" && operation != "Update") {
      errors.invalid(kInvalidMetadata, entry.child("operation"), go_json(operation), "must be `Apply` or `Update`");
    }
    if (!type.empty() && type != "FieldsV1")
      errors.invalid(kInvalidMetadata, entry.child("fieldsType"), go_quote(type), "must be `FieldsV1`");
    const std::string manager = decode_string(&entries[i], "manager");
    if (manager.size() > kMaxFieldManager)
      errors.too_long(kInvalidMetadata, entry.child("manager"), static_cast<int>(kMaxFieldManager));
    for (std::size_t at = 0; at < manager.size();) {
      const CodePoint c = decode_utf8(manager, at);
      if (!is_go_printable(c.value)) {
        errors.invalid(kInvalidMetadata, entry.child("manager"), go_quote(manager),
                       fmt::format("invalid character U+{:04X} (at position {})", static_cast<unsigned>(c.value), at));
      }
      at += c.length;
    }
    if (decode_string(&entries[i], "subresource").size() > kMaxSubresource)
      errors.too_long(kInvalidMetadata, entry.child("subresource"), static_cast<int>(kMaxSubresource));
  }
}

// A client fills in its own namespace where the text has none, so that alone stops nothing.
void validate_namespace(const std::string& ns, FieldErrors& errors, const FieldPath& path) {
  if (ns.empty()) return errors.missing_namespace(path);
  for (std::string& fault : dns_label_faults(ns))
    errors.invalid(kInvalidNamespace, path, go_quote(ns), std::move(fault));
}

void validate_immutable_time(const ConfigNode* metadata, const ConfigNode* old, FieldErrors& errors,
                             const FieldPath& path) {
  const std::string now = stored_time(decode_string(metadata, "creationTimestamp"));
  const std::string before = stored_time(decode_string(old, "creationTimestamp"));
  if (!now.empty() && now != before)
    errors.invalid(kImmutableField, path.child("creationTimestamp"), go_json(now), kImmutable);
}

}  // namespace

void validate_metadata_texts(const ObjectMeta& meta, FieldErrors& errors) {
  const ConfigNode* metadata = metadata_of(meta);
  const FieldPath path("metadata");
  validate_labels(metadata, errors, path.child("labels"));
  validate_annotations(meta, errors, path.child("annotations"));
  validate_owners(metadata, errors, path.child("ownerReferences"));
  validate_managed_fields(metadata, errors, path.child("managedFields"));
}

void validate_metadata(const ObjectMeta& meta, FieldErrors& errors, Scope scope) {
  const ConfigNode* metadata = metadata_of(meta);
  const FieldPath path("metadata");
  const std::string prefix = decode_string(metadata, "generateName");
  if (!prefix.empty()) {
    for (std::string& fault : name_prefix_faults(prefix))
      errors.invalid(kInvalidName, path.child("generateName"), go_quote(prefix), std::move(fault));
  }
  if (meta.name.empty() && !prefix.empty() && name_prefix_faults(prefix).empty()) {
    errors.generated_name(path.child("generateName"));
  } else if (meta.name.empty()) {
    errors.required(kInvalidName, path.child("name"), "name or generateName is required");
  } else {
    for (std::string& fault : dns_subdomain_faults(meta.name))
      errors.invalid(kInvalidName, path.child("name"), go_quote(meta.name), std::move(fault));
  }
  if (scope == Scope::namespaced)
    validate_namespace(decode_string(metadata, "namespace"), errors, path.child("namespace"));
  else if (!decode_string(metadata, "namespace").empty()) errors.cleared_namespace(path.child("namespace"));
  const std::optional<std::int64_t> generation = integer_of(metadata, "generation");
  if (generation && *generation < 0) {
    errors.invalid(kInvalidMetadata, path.child("generation"), *generation, "must be greater than or equal to 0");
  }
  validate_labels(metadata, errors, path.child("labels"));
  validate_annotations(meta, errors, path.child("annotations"));
  validate_owners(metadata, errors, path.child("ownerReferences"));
  const std::vector<std::string> finalizers = finalizers_of(metadata);
  validate_finalizers(finalizers, errors, path.child("finalizers"));
  validate_managed_fields(metadata, errors, path.child("managedFields"));
  validate_finalizers_qualified(finalizers, errors, path.child("finalizers"));
}

// The registry fills in what an update leaves out (resourceVersion, uid, times, generation), so only what is written
// and differs is wrong.
void validate_metadata_update(const ObjectMeta& meta, const ObjectMeta& old, FieldErrors& errors, Scope scope) {
  const ConfigNode* metadata = metadata_of(meta);
  const ConfigNode* old_metadata = metadata_of(old);
  const FieldPath path("metadata");
  if (!decode_string(old_metadata, "deletionTimestamp").empty()) {
    std::set<std::string> added;
    const std::vector<std::string> before = finalizers_of(old_metadata);
    for (std::string& name : finalizers_of(metadata)) {
      if (std::find(before.begin(), before.end(), name) == before.end()) added.insert(std::move(name));
    }
    std::string list;
    for (const std::string& name : added) list += (list.empty() ? "" : ", ") + go_quote(name);
    if (!added.empty()) {
      errors.forbidden(kImmutableField, path.child("finalizers"),
                       fmt::format("no new finalizers can be added if the object is being deleted, found new "
                                   "finalizers []string{{{}}}",
                                   list));
    }
  }
  const std::optional<std::int64_t> generation = integer_of(metadata, "generation");
  if (generation && *generation < integer_of(old_metadata, "generation").value_or(0))
    errors.invalid(kImmutableField, path.child("generation"), *generation, "must not be decremented");
  if (meta.name != old.name) errors.invalid(kImmutableField, path.child("name"), go_quote(meta.name), kImmutable);
  const std::string ns = decode_string(metadata, "namespace");
  if (scope == Scope::namespaced && ns != decode_string(old_metadata, "namespace"))
    errors.invalid(kImmutableField, path.child("namespace"), go_quote(ns), kImmutable);
  if (!meta.uid.empty() && meta.uid != old.uid)
    errors.invalid(kImmutableField, path.child("uid"), go_json(meta.uid), kImmutable);
  validate_immutable_time(metadata, old_metadata, errors, path);
}

// Of both kinds' status.
void validate_conditions(const ObjectMeta& meta, FieldErrors& errors) {
  const ConfigNode* status = meta.source.tree ? meta.source.tree->find_present("status") : nullptr;
  const auto conditions = items_of(status, "conditions");
  const FieldPath root("status");
  const FieldPath path = root.child("conditions");
  std::set<std::string> seen;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const std::string type = decode_string(&conditions[i], "type");
    const FieldPath condition = path.at(i);
    if (!seen.insert(type).second) errors.duplicate(kInvalidCondition, condition.child("type"), go_json(type));
    if (type.empty())
      errors.required(kInvalidCondition, condition.child("type"),
                      has(errors.version(), Feature::short_field_errors) ? "" : "must not be empty");
  }
}

}  // namespace apf
