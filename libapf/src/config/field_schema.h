// Tables of the fields that an object has.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace apf {

enum class FieldType : std::uint8_t {
  string,
  boolean,
  int32,
  int64,
  time,
  object,
  object_list,
  string_list,
  string_map,
  quantity_map,
  any
};

struct StructSchema;

struct FieldSchema {
  std::string_view name;
  FieldType type;
  // The Go type in the server's error text, of a list's elements for lists; "@" is the API version's package.
  std::string_view go_type;
  const StructSchema* fields = nullptr;
};

struct StructSchema {
  std::string_view go_name;
  std::span<const FieldSchema> fields;
};

}  // namespace apf
