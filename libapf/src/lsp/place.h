// What stands at a place of a file: which key or value of which object.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/tree.h"
#include "lsp/line_table.h"

namespace apf {

// "[]" stands for an item of a list.
inline constexpr std::string_view kItem = "[]";

// Whether a path does.
bool ends_with(std::span<const std::string> path, std::initializer_list<std::string_view> keys);

struct Place {
  std::string api_version, kind;         // of the object; empty: the file is none of the API
  std::vector<std::string> path;         // of the key or value within the object
  std::vector<const ConfigNode*> nodes;  // the object, and what each part of the path leads to
  TextRange range;                       // the key, or the scalar
  bool on_key = false;

  // What so many parts of the path less lead to; null: there are not so many.
  const ConfigNode* node_above(std::size_t parts) const {
    return parts < nodes.size() ? nodes[nodes.size() - 1 - parts] : nullptr;
  }
};

// Nothing: no key and no scalar is there.
std::optional<Place> place_at(const ConfigTree& tree, std::size_t offset);

// The same of a text that does not parse, or where something is about to be typed: whatever is missing or too much.
struct TypedPlace {
  struct Entry {
    std::string key;
    std::vector<std::string> values;  // the scalar, or the list's
  };
  std::string api_version, kind;
  std::vector<std::string> path;  // of the mapping or list, and the key whose value is being typed
  bool wants_value = false;       // else a key, or an item in a line of its own
  std::vector<Entry> siblings;    // what the mapping has
  std::vector<Entry> around;      // what the mapping has whose key is the last one of the path
  std::string_view word;          // what there is of it
  bool in_quotes = false;
  TextRange range;           // of the word
  std::size_t word_end = 0;  // where the rest of it, behind the cursor, ends
};
TypedPlace typed_place(std::string_view text, const LineTable& lines, std::size_t offset);

}  // namespace apf
