// Objects as values that can be edited: made from a tree, keys in its order, and written as YAML or as the API's JSON.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/schema.h"
#include "config/tree.h"

namespace apf {

struct Value {
  NodeKind kind = NodeKind::null;
  std::string text;  // of a scalar: strings unquoted, numbers and booleans as JSON spells them
  std::vector<Value> items;
  std::vector<std::pair<std::string, Value>> members;

  static Value of(const ConfigNode& node);  // of duplicate keys the last value counts
  static Value string(std::string_view text);
  static Value integer(std::int64_t number);
  static Value mapping();

  Value* find(std::string_view name);
  const Value* find(std::string_view name) const { return const_cast<Value*>(this)->find(name); }
  // null counts as absent.
  const Value* find_present(std::string_view name) const;
  void erase(std::string_view name);
  bool operator==(const Value&) const = default;
};

// Sets a member of `object`; a new one goes where `schema` has it between those that are there.
Value& set_member(Value& object, const StructSchema& schema, std::string_view name, Value value);

// Removes what is not in the schema, as the server does.
void drop_unknown(Value& object, const StructSchema& schema);

std::string to_yaml(const Value& value);
// As the server's encoder writes the Go struct: fields in order, with those that it never leaves out.
void append_api_json(std::string& out, const Value& object, const StructSchema& schema);
// A typed list of such objects.
void append_api_list_json(std::string& out, const Value& list, const StructSchema& item_schema);

// Any value as JSON, members in their order.
void append_plain_json(std::string& out, const Value& value);

// A time as the server stores and prints it: UTC, whole seconds; empty for none and for Go's zero time.
std::string stored_time(const std::string& text);

}  // namespace apf
