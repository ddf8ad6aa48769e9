// The names of FlowSchemas and priority levels: where they are given, and where they are used.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/folder.h"

namespace apf {

struct NamePlace {
  enum class Kind { flow_schema, priority_level } kind = Kind::flow_schema;
  std::string name, file;
  TextRange range;  // of the name, without quotes
  bool is_definition = false;
};

std::vector<NamePlace> names_in(const ConfigTree& tree);
// The one of them at the place. Of a file with a syntax error they are those that it had before.
std::optional<NamePlace> name_at(const ConfigTree& tree, std::size_t offset);
// Where else that is, or what has the other name, in the configuration that it is part of and its tests, in the order
// of their files.
std::vector<NamePlace> find_names(Folder& folder, const NamePlace& place, const std::string& other = {});

// What is wrong with giving the new name to it, or any new name at all; empty: nothing. `names`: with the new one.
std::string rename_fault(Folder& folder, const std::vector<NamePlace>& names, const NamePlace& place,
                         const std::optional<std::string>& new_name);

// How a name is written in the place of another one: in quotes where YAML would take it for something else, and it
// neither stands in quotes already nor is a part of a longer text, as in the FLOWSCHEMA/LEVEL of a test.
std::string text_for(const std::string& name, std::string_view text, TextRange place);

// DocumentSymbol[] of a file, as JSON: its objects, and their rules.
std::string render_symbols(const ConfigTree& tree, const LineTable& lines);

}  // namespace apf
