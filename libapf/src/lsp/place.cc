#include "lsp/place.h"

#include <algorithm>

#include "base/text.h"

namespace apf {

namespace {

bool holds_offset(const ConfigNode& node, std::size_t offset) { return node.begin() <= offset && offset <= node.end(); }

std::string_view written(const ConfigNode& node) {
  return node.tree().text().substr(node.begin(), node.end() - node.begin());
}

// Follows the offset down to a key or a scalar.
bool descend(const ConfigNode& node, std::size_t offset, Place& place) {
  place.nodes.push_back(&node);
  for (const ConfigEntry& entry : node.entries()) {
    const bool on_key = holds_offset(entry.key, offset);
    if (!on_key && !holds_offset(entry.value, offset)) continue;
    place.path.emplace_back(entry.key.text());
    if (!on_key) {
      if (descend(entry.value, offset, place)) return true;
      place.path.pop_back();
      continue;
    }
    place.nodes.push_back(&entry.value);
    place.on_key = true;
    place.range = {entry.key.begin(), entry.key.end()};
    return true;
  }
  for (const ConfigNode& item : node.items()) {
    if (!holds_offset(item, offset)) continue;
    const bool is_object = place.path.size() == 1 && place.path[0] == "items" && item.find("kind");
    if (is_object) {
      place = {item.find_string("apiVersion"), item.find_string("kind"), {}, {}, {}, false};
    } else {
      place.path.emplace_back(kItem);
    }
    if (descend(item, offset, place)) return true;
    if (!place.path.empty()) place.path.pop_back();
  }
  if (node.is_scalar() && !written(node).empty()) {
    place.range = {node.begin(), node.end()};
    return true;
  }
  place.nodes.pop_back();
  return false;
}

// A line in its parts: "  - key: value" has an indent of 2, one dash, a key at column 4.
struct TypedLine {
  std::vector<std::size_t> dashes;  // columns
  std::size_t column = 0;           // of what follows
  std::string_view key, value;      // no key: all is value
  bool is_content = false;
};

std::string_view unquoted(std::string_view word) {
  word = trimmed(word);
  const bool quoted = !word.empty() && (word.front() == '"' || word.front() == '\'');
  if (quoted) word.remove_prefix(1);
  if (quoted && !word.empty() && (word.back() == '"' || word.back() == '\'')) word.remove_suffix(1);
  return word;
}

TypedLine typed_line(std::string_view text) {
  TypedLine out;
  std::size_t at = 0;
  const auto skip_blanks = [&] {
    while (at < text.size() && text[at] == ' ') ++at;
  };
  skip_blanks();
  while (at < text.size() && text[at] == '-' && (at + 1 == text.size() || text[at + 1] == ' ')) {
    out.dashes.push_back(at++);
    skip_blanks();
  }
  out.column = at;
  const std::string_view rest = text.substr(at);
  out.is_content = (!rest.empty() && rest.front() != '#') || !out.dashes.empty();
  std::size_t colon = rest.find(':');
  while (colon != rest.npos && colon + 1 < rest.size() && rest[colon + 1] != ' ') colon = rest.find(':', colon + 1);
  const bool has_key = colon != rest.npos && rest.find_first_of("[{#") > colon;
  out.key = has_key ? unquoted(rest.substr(0, colon)) : std::string_view();
  out.value = has_key ? rest.substr(colon + 1) : rest;
  return out;
}

// The parts of the path above a column, from the lines above `line`.
void climb(const LineTable& lines, std::size_t line, std::size_t column, std::vector<std::string>& path,
           std::size_t& first, std::vector<std::string>* siblings) {
  while (line-- > 0) {
    const std::string_view text = lines.text_of(line);
    if (text.starts_with("---")) {
      first = line + 1;
      break;
    }
    const TypedLine at = typed_line(text);
    if (!at.is_content) continue;
    if (at.column == column && siblings && !at.key.empty()) siblings->emplace_back(at.key);
    if (at.column < column && !at.key.empty()) {
      // A list may begin in the column of its key.
      path.emplace_back(at.key);
      column = at.column;
      siblings = nullptr;
    }
    for (std::size_t i = at.dashes.size(); i-- > 0;) {
      if (at.dashes[i] >= column) continue;
      path.emplace_back(kItem);
      column = at.dashes[i] + 1;  // so that the key, which may be in the column of the dash, is above it
      siblings = nullptr;
    }
  }
}

// The value of a key at the beginning of a line of the document.
std::string head_of(const LineTable& lines, std::size_t first, std::string_view key) {
  for (std::size_t line = first; line < lines.count(); ++line) {
    const std::string_view text = lines.text_of(line);
    if (line > first && text.starts_with("---")) break;
    const TypedLine at = typed_line(text);
    if (at.column == 0 && at.key == key) return std::string(unquoted(at.value.substr(0, at.value.find(" #"))));
  }
  return {};
}

}  // namespace

std::optional<Place> place_at(const ConfigTree& tree, std::size_t offset) {
  for (const ConfigDocument& document : tree.documents()) {
    if (!holds_offset(*document.root, offset)) continue;
    Place place{document.root->find_string("apiVersion"), document.root->find_string("kind"), {}, {}, {}, false};
    if (descend(*document.root, offset, place)) return place;
  }
  return std::nullopt;
}

TypedPlace typed_place(std::string_view text, const LineTable& lines, std::size_t offset) {
  TypedPlace out;
  const std::size_t line = lines.line_of(offset), begin = lines.begin_of(line);
  const std::string_view before = text.substr(begin, offset - begin);
  const TypedLine at = typed_line(before);
  out.wants_value = !at.key.empty();
  std::string_view word = at.value;
  std::vector<std::string> up;  // from the inside out
  // "{group: {name: " on one line.
  std::vector<std::string> inner;
  for (std::size_t brace = word.find('{'); brace != word.npos; brace = word.find('{')) {
    word.remove_prefix(brace + 1);
    const std::size_t close = word.find('}');
    if (close != word.npos && word.find('{') > close) {
      word.remove_prefix(close + 1);
      continue;
    }
    const std::size_t entry = word.find('{') == word.npos && word.find('[') == word.npos ? word.rfind(',') : word.npos;
    if (entry != word.npos) word.remove_prefix(entry + 1);
    const std::size_t colon = word.find(": ");
    out.wants_value = colon != word.npos;
    if (!out.wants_value) break;
    inner.emplace_back(unquoted(word.substr(0, colon)));
    word.remove_prefix(colon + 1);
  }
  const bool in_brackets =
      word.rfind('[') != word.npos && (word.rfind(']') == word.npos || word.rfind(']') < word.rfind('['));
  if (in_brackets) {
    word.remove_prefix(word.find_last_of("[,") + 1);
    up.emplace_back(kItem);
  }
  up.insert(up.end(), inner.rbegin(), inner.rend());
  const std::size_t start = std::min(word.find_first_not_of(" \"'"), word.size());
  out.word = word.substr(start);
  out.range = {offset - out.word.size(), offset};
  if (!at.key.empty()) up.emplace_back(at.key);
  std::size_t column = at.column, first = 0;
  bool own = true;  // the siblings are in the lines around
  for (std::size_t i = at.dashes.size(); i-- > 0; own = false) {
    up.emplace_back(kItem);
    column = at.dashes[i] + 1;
  }
  climb(lines, line, column, up, first, own ? &out.siblings : nullptr);
  for (std::size_t next = line + 1; next < lines.count(); ++next) {
    const TypedLine below = typed_line(lines.text_of(next));
    if (!below.is_content) continue;
    if (below.column < at.column || !below.dashes.empty() || lines.text_of(next).starts_with("---")) break;
    if (below.column == at.column && !below.key.empty()) out.siblings.emplace_back(below.key);
  }
  out.path.assign(up.rbegin(), up.rend());
  out.api_version = head_of(lines, first, "apiVersion");
  out.kind = head_of(lines, first, "kind");
  return out;
}

}  // namespace apf
