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

// All of the configuration that `file` is part of and of the tests, in the order of their files. Of a file with a
// syntax error they are those that it had before.
std::vector<NamePlace> find_names(Folder& folder, const std::string& file);
std::vector<NamePlace> names_in(const ConfigTree& tree);
// The one of them at the place; null: there is none.
const NamePlace* name_at(const std::vector<NamePlace>& names, const std::string& file, std::size_t offset);

// What is wrong with giving the new name to it, or any new name at all; empty: nothing.
std::string rename_fault(Folder& folder, const std::vector<NamePlace>& names, const NamePlace& place,
                         const std::optional<std::string>& new_name);

// How a name is written in the place of another one: in quotes where YAML would take it for something else, and it
// neither stands in quotes already nor is a part of a longer text, as in the FLOWSCHEMA/LEVEL of a test.
std::string text_for(const std::string& name, std::string_view text, TextRange place);

// DocumentSymbol[] of a file, as JSON: its objects, and their rules.
std::string render_symbols(const ConfigTree& tree, const LineTable& lines);

}  // namespace apf
