// All schemas as a table, which embed_schemas.sh generates.
#pragma once

#include <span>
#include <string_view>

namespace apfctl {

struct Schema {
  std::string_view name;  // "flowschema-v1"
  std::string_view text;
};

std::span<const Schema> schemas();  // sorted by name

}  // namespace apfctl
