#include "config/convert_value.h"

#include <algorithm>
#include <unordered_map>

#include <apf/time.h>

#include "config/yaml_writer.h"

namespace apf {

namespace {

const FieldSchema* field_of(const StructSchema& schema, std::string_view name) {
  const auto at = std::find_if(schema.fields.begin(), schema.fields.end(),
                               [&](const FieldSchema& field) { return field.name == name; });
  return at == schema.fields.end() ? nullptr : &*at;
}

void write_yaml(YamlWriter& out, const Value& value) {
  switch (value.kind) {
    case NodeKind::mapping:
      out.begin_object();
      for (const auto& [name, member] : value.members) {
        out.key(name);
        write_yaml(out, member);
      }
      out.end_object();
      return;
    case NodeKind::sequence:
      out.begin_array();
      for (const Value& item : value.items) write_yaml(out, item);
      out.end_array();
      return;
    case NodeKind::string:
      out.value(value.text);
      return;
    default:
      out.raw(value.text);
      return;
  }
}

}  // namespace

Value Value::of(const ConfigNode& node) {
  Value value;
  value.kind = node.kind();
  switch (node.kind()) {
    case NodeKind::null:
      value.text = "null";
      break;
    case NodeKind::boolean:
      value.text = node.boolean() ? "true" : "false";
      break;
    case NodeKind::integer:
    case NodeKind::floating:
      value.text = node.number_text();
      break;
    case NodeKind::string:
      value.text = node.text();
      break;
    case NodeKind::sequence:
      value.items.reserve(node.items().size());
      for (const ConfigNode& item : node.items()) value.items.push_back(of(item));
      break;
    case NodeKind::mapping: {
      std::unordered_map<std::string_view, std::size_t> places;
      for (const ConfigEntry& entry : node.entries()) {
        const auto [place, fresh] = places.try_emplace(entry.key.text(), value.members.size());
        if (fresh) value.members.emplace_back(entry.key.text(), of(entry.value));
        else value.members[place->second].second = of(entry.value);
      }
      break;
    }
  }
  return value;
}

Value Value::string(std::string_view text) {
  Value value;
  value.kind = NodeKind::string;
  value.text = text;
  return value;
}

Value Value::integer(std::int64_t number) {
  Value value;
  value.kind = NodeKind::integer;
  value.text = std::to_string(number);
  return value;
}

Value Value::mapping() {
  Value value;
  value.kind = NodeKind::mapping;
  return value;
}

Value* Value::find(std::string_view name) {
  const auto at =
      std::find_if(members.begin(), members.end(), [&](const auto& member) { return member.first == name; });
  return at == members.end() ? nullptr : &at->second;
}

const Value* Value::find_present(std::string_view name) const {
  const Value* value = find(name);
  return value && value->kind != NodeKind::null ? value : nullptr;
}

void Value::erase(std::string_view name) {
  std::erase_if(members, [&](const auto& member) { return member.first == name; });
}

Value& set_member(Value& object, const StructSchema& schema, std::string_view name, Value value) {
  if (Value* present = object.find(name)) return *present = std::move(value);
  // After the last of the fields before it that is there; else before everything.
  std::size_t place = 0;
  for (const FieldSchema& field : schema.fields) {
    if (field.name == name) break;
    for (std::size_t i = place; i < object.members.size(); ++i) {
      if (object.members[i].first == field.name) place = i + 1;
    }
  }
  const auto at =
      object.members.emplace(object.members.begin() + static_cast<std::ptrdiff_t>(place), name, std::move(value));
  return at->second;
}

void drop_unknown(Value& object, const StructSchema& schema) {
  std::erase_if(object.members, [&](const auto& member) { return !field_of(schema, member.first); });
  for (auto& [name, member] : object.members) {
    const FieldSchema& field = *field_of(schema, name);
    if (field.type == FieldType::object) drop_unknown(member, *field.fields);
    if (field.type == FieldType::object_list) {
      for (Value& item : member.items) drop_unknown(item, *field.fields);
    }
  }
}

std::string to_yaml(const Value& value) {
  YamlWriter out;
  write_yaml(out, value);
  return out.take();
}

std::string stored_time(const std::string& text) {
  const std::optional<Nanos> time = parse_rfc3339(text);
  if (!time) return text.starts_with("0001-01-01T00:00:00") ? std::string() : text;
  return format_rfc3339(*time - ((*time % kSecond) + kSecond) % kSecond);
}

}  // namespace apf
