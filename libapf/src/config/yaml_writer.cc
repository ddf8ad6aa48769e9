#include "config/yaml_writer.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/utf8.h"
#include "config/scalar.h"

namespace apf {

namespace {

bool needs_escape(const CodePoint& c) {
  return !c.valid || is_invisible(c.value) || c.value < 0x20 || (c.value >= 0x7F && c.value < 0xA0) ||
         c.value == 0x2028 || c.value == 0x2029 || c.value == 0xFEFF || c.value == 0xFFFE || c.value == 0xFFFF;
}

// Double quotes with JSON's escapes, and with everything escaped that YAML counts as a line break or as not printable.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = decode_utf8(text, i);
    const std::string_view bytes = text.substr(i, c.length);
    i += c.length;
    if (!c.valid) {
      out += "\\uFFFD";
    } else if (c.value == '"' || c.value == '\\') {
      out += '\\';
      out += bytes;
    } else if (c.value == '\n') {
      out += "\\n";
    } else if (c.value == '\t') {
      out += "\\t";
    } else if (needs_escape(c) || text.substr(i - 1, 2) == "##") {  // nor a CI system's command, as ##vso[…]
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(c.value));
    } else {
      out += bytes;
    }
  }
  return out + '"';
}

// Text of several lines that a literal block ("|") can hold without an indentation indicator.
// No CI system that prints it may find a command in it.
bool fits_block(std::string_view text) {
  if (text.find("##") != text.npos || text.find("::") != text.npos) return false;
  if (text.find('\n') == text.npos || text[0] == ' ' || text[0] == '\n' || text.ends_with("\n\n")) return false;
  if (text.ends_with(' ') || text.find(" \n") != text.npos) return false;  // nobody would see it
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = decode_utf8(text, i);
    if (c.value != '\n' && needs_escape(c)) return false;
    i += c.length;
  }
  return true;
}

std::string spelled(std::string_view text) { return needs_quotes(text) ? quoted(text) : std::string(text); }

}  // namespace

void YamlWriter::start_item() {
  if (levels_.empty() || !levels_.back().array) return;
  Level& level = levels_.back();
  if (line_ == Line::after_key) {
    out_ += '\n';
    line_ = Line::fresh;
  }
  // A list that opens right after a dash goes on on the same line: "- - a".
  if (line_ == Line::fresh) out_.append(static_cast<std::size_t>(level.indent), ' ');
  out_ += "- ";
  level.empty = false;
  line_ = Line::after_dash;
}

YamlWriter& YamlWriter::begin(bool array) {
  start_item();
  int indent = 0;
  if (!levels_.empty()) {
    const Level& outer = levels_.back();
    // Below a key, a list starts at the key's own column and a mapping two to the right.
    indent = outer.indent + (line_ == Line::after_key && array ? 0 : 2);
  }
  levels_.push_back({array, true, indent});
  return *this;
}

YamlWriter& YamlWriter::end(std::string_view if_empty) {
  const bool empty = levels_.back().empty;
  levels_.pop_back();
  if (!empty) return *this;
  if (line_ == Line::after_key) out_ += ' ';
  out_ += if_empty;
  out_ += '\n';
  line_ = Line::fresh;
  return *this;
}

YamlWriter& YamlWriter::key(std::string_view name) {
  Level& level = levels_.back();
  if (level.empty && line_ == Line::after_key) {
    out_ += '\n';
    line_ = Line::fresh;
  }
  if (line_ == Line::fresh) out_.append(static_cast<std::size_t>(level.indent), ' ');
  level.empty = false;
  out_ += spelled(name);
  out_ += ':';
  line_ = Line::after_key;
  return *this;
}

YamlWriter& YamlWriter::value(std::string_view text) {
  const bool of_key = !levels_.empty() && !levels_.back().array;
  return of_key && fits_block(text) ? block(text) : scalar(spelled(text));
}

YamlWriter& YamlWriter::block(std::string_view text) {
  out_ += text.ends_with('\n') ? " |\n" : " |-\n";
  const std::string indent(static_cast<std::size_t>(levels_.back().indent) + 2, ' ');
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) out_.append(indent).append(text.substr(begin, end - begin));
    out_ += '\n';
    begin = end + 1;
  }
  line_ = Line::fresh;
  return *this;
}

YamlWriter& YamlWriter::scalar(std::string_view text) {
  start_item();
  if (line_ == Line::after_key) out_ += ' ';
  out_ += text;
  out_ += '\n';
  line_ = Line::fresh;
  return *this;
}

}  // namespace apf
