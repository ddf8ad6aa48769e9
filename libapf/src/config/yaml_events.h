// What libyaml reads in a YAML document. kubectl's reader (go-yaml) is a port of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "config/tree.h"
#include "config/tree_builder.h"

namespace apf {

inline constexpr std::string_view kOrderMark = "\xEF\xBB\xBF";

enum class YamlEventKind : std::uint8_t { scalar, alias, sequence, mapping, end };

struct YamlEvent {
  YamlEventKind kind = YamlEventKind::end;
  NodeStyle style = NodeStyle::plain;  // of a scalar
  std::uint32_t start = 0;             // of &anchor and !tag
  std::uint32_t begin = 0, end = 0;    // of the node itself
  std::uint32_t anchor = 0;            // the number of its own anchor, or of the one that an alias means; 0 = none
  std::string_view text, tag;          // a scalar's; a tag is written out: "tag:yaml.org,2002:int"
};

struct YamlInput {
  std::string_view text;      // of the file, up to the end of the document
  std::size_t begin = 0;      // of the document in it
  std::string_view document;  // what is read: text[begin, …), with a line break at its end
};

// Empty if there are only comments. Values that differ from the text are stored in the builder's tree. Throws a
// SyntaxFault where libyaml reads no document, or kubectl not the whole of it.
void read_yaml_events(const YamlInput& input, TreeBuilder& builder, std::vector<YamlEvent>& events);

}  // namespace apf
