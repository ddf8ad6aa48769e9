// The names of FlowSchemas and priority levels: where they are given, and where they are used.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/tree.h"
#include "lsp/line_table.h"

namespace apf {

struct NamePlace {
  enum class Kind { flow_schema, priority_level } kind = Kind::flow_schema;
  std::string name, file;
  TextRange range;  // of the name, without quotes
  bool is_definition = false;
};

// Of the list at the path; none: there is no list.
std::span<const ConfigNode> items_at(const ConfigNode& root, std::string_view field);

std::vector<NamePlace> names_in(const ConfigTree& tree);
// The one of them at the place.
std::optional<NamePlace> name_at(const ConfigTree& tree, std::size_t offset);

}  // namespace apf
