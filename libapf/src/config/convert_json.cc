// The JSON of the API's Go types (k8s.io/api/flowcontrol, v1.36): which fields are written when they are empty is in
// their struct tags.
#include <algorithm>
#include <utility>

#include <apf/output.h>

#include "base/utf8.h"
#include "config/convert_value.h"
#include "config/go_json.h"

namespace apf {

namespace {

// As Go writes it, but for what a terminal takes for a command or shows in another order, which is escaped: the same
// text for whoever reads JSON.
void append_text(std::string& out, std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x7f; };
  if (std::all_of(text.begin(), text.end(), is_ascii)) return append_go_json(out, text);
  const std::string json = go_json(text);
  for (std::size_t at = 0; at < json.size();) {
    const CodePoint c = decode_utf8(json, at);
    const std::string_view bytes = std::string_view(json).substr(at, c.length);
    at += c.length;
    if (!is_invisible(c.value)) {
      out += bytes;
      continue;
    }
    std::string escaped;
    append_json_string(escaped, bytes);
    out.append(escaped, 1, escaped.size() - 2);
  }
}

struct FieldName {
  std::string_view owner, field;
};

// Written always: fields without omitempty, and structs held by value.
constexpr FieldName kAlways[] = {
    {"FlowSchema", "metadata"},
    {"FlowSchema", "spec"},
    {"FlowSchema", "status"},
    {"PriorityLevelConfiguration", "metadata"},
    {"PriorityLevelConfiguration", "spec"},
    {"PriorityLevelConfiguration", "status"},
    {"OwnerReference", "apiVersion"},
    {"OwnerReference", "kind"},
    {"OwnerReference", "name"},
    {"OwnerReference", "uid"},
    {"FlowSchemaSpec", "priorityLevelConfiguration"},
    {"FlowSchemaSpec", "matchingPrecedence"},
    {"PriorityLevelConfigurationReference", "name"},
    {"FlowDistinguisherMethod", "type"},
    {"PolicyRulesWithSubjects", "subjects"},
    {"Subject", "kind"},
    {"UserSubject", "name"},
    {"GroupSubject", "name"},
    {"ServiceAccountSubject", "namespace"},
    {"ServiceAccountSubject", "name"},
    {"ResourcePolicyRule", "verbs"},
    {"ResourcePolicyRule", "apiGroups"},
    {"ResourcePolicyRule", "resources"},
    {"ResourcePolicyRule", "namespaces"},
    {"NonResourcePolicyRule", "verbs"},
    {"NonResourcePolicyRule", "nonResourceURLs"},
    {"PriorityLevelConfigurationSpec", "type"},
    {"LimitedPriorityLevelConfiguration", "nominalConcurrencyShares"},
    {"LimitedPriorityLevelConfiguration", "assuredConcurrencyShares"},
    {"LimitedPriorityLevelConfiguration", "limitResponse"},
    {"LimitResponse", "type"},
    {"QueuingConfiguration", "queues"},
    {"QueuingConfiguration", "handSize"},
    {"QueuingConfiguration", "queueLengthLimit"},
    {"FlowSchemaCondition", "lastTransitionTime"},
    {"PriorityLevelConfigurationCondition", "lastTransitionTime"},
    {"ResourceQuota", "metadata"},
    {"ResourceQuota", "spec"},
    {"ResourceQuota", "status"},
    {"LimitRange", "metadata"},
    {"LimitRange", "spec"},
    {"LimitRangeSpec", "limits"},
    {"LimitRangeItem", "type"},
    {"ScopedResourceSelectorRequirement", "scopeName"},
    {"ScopedResourceSelectorRequirement", "operator"},
    {"ResourceQuotaConfiguration", "limitedResources"},
    {"LimitedResource", "resource"},
    {"Configuration", "limits"},
    {"Limit", "type"},
    {"Limit", "qps"},
    {"Limit", "burst"},
    {"AdmissionConfiguration", "plugins"},
    {"AdmissionPluginConfiguration", "name"},
    {"AdmissionPluginConfiguration", "path"},
    {"AdmissionPluginConfiguration", "configuration"},
};

// Left out only when absent: pointers to numbers, booleans and times, for which zero is a value.
constexpr FieldName kPointers[] = {
    {"ObjectMeta", "deletionTimestamp"},
    {"ObjectMeta", "deletionGracePeriodSeconds"},
    {"OwnerReference", "controller"},
    {"OwnerReference", "blockOwnerDeletion"},
    {"ManagedFieldsEntry", "time"},
    {"LimitedPriorityLevelConfiguration", "lendablePercent"},
    {"LimitedPriorityLevelConfiguration", "borrowingLimitPercent"},
    {"ExemptPriorityLevelConfiguration", "nominalConcurrencyShares"},
    {"ExemptPriorityLevelConfiguration", "lendablePercent"},
    {"ListMeta", "remainingItemCount"},
};

template <std::size_t N>
bool listed(const FieldName (&names)[N], const StructSchema& owner, const FieldSchema& field) {
  return std::any_of(std::begin(names), std::end(names),
                     [&](const FieldName& name) { return name.owner == owner.go_name && name.field == field.name; });
}

constexpr FieldSchema kListMetaFields[] = {{"selfLink", FieldType::string, "string"},
                                           {"resourceVersion", FieldType::string, "string"},
                                           {"continue", FieldType::string, "string"},
                                           {"remainingItemCount", FieldType::int64, "int64"}};
constexpr StructSchema kListMeta{"ListMeta", kListMetaFields};

// Zero in the sense of omitempty.
bool is_empty(const Value& value, const FieldSchema& field) {
  switch (field.type) {
    case FieldType::string:
      return value.text.empty();
    case FieldType::boolean:
      return value.text == "false";
    case FieldType::int32:
    case FieldType::int64:
      return value.text == "0";
    case FieldType::time:
      return stored_time(value.text).empty();
    case FieldType::object_list:
    case FieldType::string_list:
      return value.items.empty();
    case FieldType::string_map:
    case FieldType::quantity_map:
      return value.members.empty();
    case FieldType::object:
    case FieldType::any:
      return false;
  }
  return false;
}

// What an absent field of this type reads as.
void append_zero(std::string& out, const FieldSchema& field) {
  switch (field.type) {
    case FieldType::string:
      out += "\"\"";
      return;
    case FieldType::boolean:
      out += "false";
      return;
    case FieldType::int32:
    case FieldType::int64:
      out += '0';
      return;
    case FieldType::object:
      append_api_json(out, Value::mapping(), *field.fields);
      return;
    default:
      out += "null";
      return;
  }
}

// Go writes maps by key.
void append_string_map(std::string& out, const Value& map) {
  std::vector<std::pair<std::string_view, std::string_view>> entries;
  for (const auto& [key, value] : map.members)
    entries.emplace_back(key, value.kind == NodeKind::null ? std::string_view() : value.text);
  std::sort(entries.begin(), entries.end());
  char before = '{';
  for (const auto& [key, value] : entries) {
    out += std::exchange(before, ',');
    append_text(out, key);
    out += ':';
    append_text(out, value);
  }
  out += entries.empty() ? "{}" : "}";
}

void append_field(std::string& out, const Value& value, const FieldSchema& field) {
  switch (field.type) {
    case FieldType::string:
      return append_text(out, value.text);
    case FieldType::time: {
      const std::string time = stored_time(value.text);
      if (time.empty()) out += "null";
      else append_text(out, time);
      return;
    }
    case FieldType::object:
      return append_api_json(out, value, *field.fields);
    case FieldType::string_map:
    case FieldType::quantity_map:
      return append_string_map(out, value);
    case FieldType::object_list:
    case FieldType::string_list:
      out += '[';
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        if (i > 0) out += ',';
        const Value& item = value.items[i];
        if (field.type == FieldType::object_list) append_api_json(out, item, *field.fields);
        else append_text(out, item.kind == NodeKind::null ? std::string_view() : item.text);
      }
      out += ']';
      return;
    case FieldType::any:
      return append_plain_json(out, value);
    default:
      out += value.text;
      return;
  }
}

}  // namespace

void append_api_json(std::string& out, const Value& object, const StructSchema& schema) {
  char before = '{';
  for (const FieldSchema& field : schema.fields) {
    const Value* value = object.find_present(field.name);
    const bool always = listed(kAlways, schema, field);
    const bool written = always || (value && (listed(kPointers, schema, field) || !is_empty(*value, field)));
    if (!written) continue;
    out += std::exchange(before, ',');
    out += '"';
    out += field.name;
    out += "\":";
    if (value) append_field(out, *value, field);
    else append_zero(out, field);
  }
  out += before == '{' ? "{}" : "}";
}

void append_api_list_json(std::string& out, const Value& list, const StructSchema& item_schema) {
  const auto text = [&](std::string_view name) {
    const Value* value = list.find_present(name);
    return value ? value->text : std::string();
  };
  out += "{\"kind\":";
  append_text(out, text("kind"));
  out += ",\"apiVersion\":";
  append_text(out, text("apiVersion"));
  out += ",\"metadata\":";
  const Value* metadata = list.find_present("metadata");
  append_api_json(out, metadata ? *metadata : Value::mapping(), kListMeta);
  out += ",\"items\":";
  const Value* items = list.find_present("items");
  if (!items) {
    out += "null}";
    return;
  }
  out += '[';
  for (std::size_t i = 0; i < items->items.size(); ++i) {
    if (i > 0) out += ',';
    Value item = items->items[i];
    item.erase("kind");  // the list has them
    item.erase("apiVersion");
    append_api_json(out, item, item_schema);
  }
  out += "]}";
}

void append_plain_json(std::string& out, const Value& value) {
  if (value.kind == NodeKind::string) return append_text(out, value.text);
  if (value.kind == NodeKind::sequence) {
    out += '[';
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      if (i > 0) out += ',';
      append_plain_json(out, value.items[i]);
    }
    out += ']';
  } else if (value.kind == NodeKind::mapping) {
    out += '{';
    for (std::size_t i = 0; i < value.members.size(); ++i) {
      if (i > 0) out += ',';
      append_text(out, value.members[i].first);
      out += ':';
      append_plain_json(out, value.members[i].second);
    }
    out += '}';
  } else {
    out += value.text;
  }
}

}  // namespace apf
