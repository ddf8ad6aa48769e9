#include "lint/fix_edits.h"

#include <algorithm>
#include <optional>

#include <apf/output.h>

#include "config/scalar.h"
#include "config/yaml_text.h"
#include "config/yaml_writer.h"

namespace apf {

namespace {

// --- spelling
// -----------------------------------------------------------------------------------------------------------

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

// What needs no escapes, and no thought about line folding, between single quotes.
bool is_simple(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

std::string spell(const NewScalar& value, NodeStyle style, bool json) {
  if (!value.is_string) return value.text;
  if (json) return json_string(value.text);
  if (style == NodeStyle::single_quoted && is_simple(value.text)) {
    std::string out = "'";
    for (const char c : value.text) out += c == '\'' ? std::string("''") : std::string(1, c);
    return out + "'";
  }
  if (style == NodeStyle::double_quoted && is_simple(value.text)) return json_string(value.text);
  std::string out = YamlWriter().value(value.text).take();
  out.pop_back();  // the newline
  return out;
}

// --- places
// -------------------------------------------------------------------------------------------------------------

// "spec.rules[0]" of "spec.rules[0].subjects", "metadata.annotations" of "metadata.annotations[a.b/c]", "" of
// "meta]data": in the steps of find_field().
std::string_view parent_of(std::string_view field) {
  std::size_t last = 0;
  for (std::size_t at = 0; at < field.size();) {
    last = at;
    const bool bracket = field[at] == '[';
    const std::size_t end = bracket ? field.find(']', at) : field.find_first_of(".[", at + (field[at] == '.' ? 1 : 0));
    at = end == field.npos ? field.size() : end + (bracket ? 1 : 0);
  }
  return field.substr(0, last);
}

bool inside(const ConfigNode& outer, std::size_t begin, std::size_t end) {
  return begin >= outer.begin() && end <= outer.end();
}

// Of a list beyond this no entry is edited: each edit looks at all of them.
constexpr std::size_t kMostSiblings = 1000;

// The place of a child: its container and its siblings.
struct Place {
  const ConfigNode* container = nullptr;
  const ConfigNode* container_key = nullptr;  // when the container is a mapping entry's value
  std::size_t index = 0, count = 0;
  const ConfigNode* key = nullptr;  // of a mapping entry
  const ConfigNode* value = nullptr;
  bool json = false;

  bool flow() const { return container->style() == NodeStyle::flow; }
  bool last() const { return index + 1 == count; }
  bool has_value() const { return !key || value->begin() != key->begin(); }
  std::size_t begin_of(std::size_t i) const {
    return container->is_mapping() ? container->entries()[i].key.begin() : container->items()[i].begin();
  }
  std::size_t end_of(std::size_t i) const {
    std::size_t end = container->is_mapping() ? container->entries()[i].value.end() : container->items()[i].end();
    // Where a value is absent, its node and the containers that end with it end with the key.
    const std::string_view text = container->tree().text();
    const std::size_t colon = std::min(text.find_first_not_of(" \t", end), text.size());
    return colon < text.size() && text[colon] == ':' ? colon + 1 : end;
  }
  std::size_t begin() const { return begin_of(index); }
  std::size_t end() const { return end_of(index); }
};

class Source {
 public:
  explicit Source(const ConfigNode& root) : root_(root), text_(root.tree().text()), ends_(text_) {}

  std::optional<Place> find(std::string_view field) const;

  Edit edit(std::size_t begin, std::size_t end, std::string text) const {
    return {root_.tree().name(), begin, end, std::move(text)};
  }
  char at(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }
  std::string_view slice(std::size_t begin, std::size_t end) const { return text_.substr(begin, end - begin); }

  std::size_t line_begin(std::size_t offset) const {
    const std::size_t newline = offset == 0 ? text_.npos : text_.rfind('\n', offset - 1);
    return newline == text_.npos ? root_.tree().content_begin() : newline + 1;
  }
  // After the newline.
  std::size_t next_line(std::size_t offset) const { return std::min(line_end(text_, offset) + 1, text_.size()); }
  std::size_t skip_blanks(std::size_t offset) const {
    while (is_blank(at(offset))) ++offset;
    return offset;
  }
  std::size_t skip_space(std::size_t offset) const { return ends_.skip_space(offset); }
  std::string_view line_break(std::size_t offset) const {
    const std::size_t end = line_end(text_, offset);
    return end > 0 && end < text_.size() && text_[end - 1] == '\r' ? "\r\n" : "\n";
  }
  // Only blanks are before it on its line.
  bool begins_line(std::size_t offset) const { return skip_blanks(line_begin(offset)) >= offset; }
  // Only blanks and a comment follow on its line.
  bool ends_line(std::size_t offset) const {
    const std::size_t next = skip_blanks(offset);
    if (next >= text_.size() || at(next) == '\n' || (at(next) == '\r' && at(next + 1) == '\n')) return true;
    return at(next) == '#' && next > offset;
  }
  // There is an anchor or a tag before what begins at `offset`.
  bool has_properties(std::size_t offset) const {
    std::size_t end = offset;
    while (end > 0 && is_space(text_[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && !is_space(text_[begin - 1]) && std::string_view("[]{},").find(text_[begin - 1]) == text_.npos)
      --begin;
    return begin < end && (text_[begin] == '&' || text_[begin] == '!') && text_[end - 1] != ':';
  }
  // An alias elsewhere may need what goes.
  bool has_anchor(std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i) {
      if (text_[i] == '&' &&
          (i == 0 || is_space(text_[i - 1]) || std::string_view("[{,").find(text_[i - 1]) != text_.npos))
        return true;
    }
    return false;
  }

 private:
  const ConfigNode& root_;
  std::string_view text_;
  EndFinder ends_;
};

std::optional<Place> Source::find(std::string_view field) const {
  const FieldPosition position = find_field(root_, field);
  if (field.empty() || !position.exact) return std::nullopt;
  // What is outside its container's text comes from an alias or a merge key.
  for (std::string_view outer = parent_of(field), inner = field; !inner.empty();
       inner = outer, outer = parent_of(outer)) {
    const FieldPosition child = find_field(root_, inner);
    const ConfigNode& container = *find_field(root_, outer).value;
    const ConfigNode& first = child.key ? *child.key : *child.value;
    if (!inside(container, first.begin(), first.end()) || !inside(container, child.value->begin(), child.value->end()))
      return std::nullopt;
    // A single pair within [ ] has no braces of its own.
    if (child.value->style() == NodeStyle::block && container.style() == NodeStyle::flow) return std::nullopt;
  }
  const FieldPosition outer = find_field(root_, parent_of(field));
  if (root_.tree().is_aliased(outer.value->begin(), outer.value->end())) return std::nullopt;  // it is elsewhere, too
  Place place;
  place.container = outer.value;
  place.container_key = outer.key;
  place.value = position.value;
  place.key = position.key;
  place.json = root_.style() == NodeStyle::flow;
  place.count = outer.value->is_mapping() ? outer.value->entries().size() : outer.value->items().size();
  if (place.count > kMostSiblings) return std::nullopt;
  std::size_t reached = place.container->begin();
  for (std::size_t i = 0; i < place.count; ++i) {
    const bool found = outer.value->is_mapping() ? &outer.value->entries()[i].value == place.value
                                                 : &outer.value->items()[i] == place.value;
    if (found) place.index = i;
    // Merged entries come after the mapping's own, wherever they are written.
    const ConfigNode& last = outer.value->is_mapping() ? outer.value->entries()[i].value : outer.value->items()[i];
    if (place.begin_of(i) < reached || last.end() > place.container->end()) return std::nullopt;
    reached = place.end_of(i);
  }
  return place;
}

// --- block style
// --------------------------------------------------------------------------------------------------------

// Where a child of a block container begins: its key or its dash.
std::optional<std::size_t> block_begin(const Source& source, const Place& place, std::size_t index) {
  if (place.container->is_mapping()) {
    const std::size_t begin = place.begin_of(index);
    for (std::size_t i = source.line_begin(begin); i < begin; ++i) {  // "? key", "&a key" and tabs are left alone
      if (source.at(i) != ' ' && source.at(i) != '-') return std::nullopt;
    }
    return begin;
  }
  const std::size_t begin = index == 0 ? place.container->begin() : source.skip_space(place.end_of(index - 1));
  if (source.at(begin) != '-' || begin > place.begin_of(index)) return std::nullopt;
  return begin;
}

std::vector<Edit> remove_only_child(const Source& source, const Place& place, std::size_t begin) {
  const char* const empty = place.container->is_mapping() ? "{}" : "[]";
  if (!place.container_key || !source.begins_line(begin)) return {source.edit(begin, place.end(), empty)};
  const std::size_t colon = source.skip_blanks(place.container_key->end());
  if (source.at(colon) != ':' || !source.ends_line(colon + 1)) return {};
  return {source.edit(colon + 1, colon + 1, std::string(" ") + empty),
          source.edit(source.line_begin(begin), source.next_line(place.end()), "")};
}

std::vector<Edit> remove_from_block(const Source& source, const Place& place) {
  const std::optional<std::size_t> begin = block_begin(source, place, place.index);
  const std::size_t end = place.end();
  if (!begin || !source.ends_line(end) || source.has_anchor(*begin, end)) return {};
  if (place.count == 1) return remove_only_child(source, place, *begin);
  if (source.begins_line(*begin)) return {source.edit(source.line_begin(*begin), source.next_line(end), "")};
  // It shares its line with the dash of an outer list, so it is the first: the next one moves up, unless comments are
  // between.
  if (place.index != 0) return {};
  const std::optional<std::size_t> next = block_begin(source, place, 1);
  if (!next) return {};
  if (source.skip_blanks(source.next_line(end)) == *next) return {source.edit(*begin, *next, "")};
  std::size_t stop = source.next_line(end);
  while (stop > end && (source.at(stop - 1) == '\n' || source.at(stop - 1) == '\r')) --stop;
  std::size_t from = *begin;
  while (is_blank(source.at(from - 1))) --from;
  return {source.edit(from, stop, "")};
}

// A line of its own after the child: `text` under the child's first character.
std::vector<Edit> add_block_line(const Source& source, const Place& place, const std::string& text) {
  const std::optional<std::size_t> begin = block_begin(source, place, place.index);
  if (!begin || !source.ends_line(place.end())) return {};
  // What follows a block scalar may belong to it.
  const ConfigNode* innermost = place.value;
  while (innermost->style() == NodeStyle::block) {
    const bool empty = innermost->is_mapping() ? innermost->entries().empty() : innermost->items().empty();
    if (empty) return {};
    innermost = innermost->is_mapping() ? &innermost->entries().back().value : &innermost->items().back();
  }
  if (innermost->style() == NodeStyle::literal || innermost->style() == NodeStyle::folded) return {};
  const std::string indent(*begin - source.line_begin(*begin), ' ');
  const std::string line_break(source.line_break(place.end()));
  const std::size_t after = source.next_line(place.end());
  if (source.at(after - 1) != '\n') return {source.edit(after, after, line_break + indent + text)};
  return {source.edit(after, after, indent + text + line_break)};
}

// --- flow style
// ---------------------------------------------------------------------------------------------------------

std::vector<Edit> remove_from_flow(const Source& source, const Place& place) {
  const std::size_t begin = place.begin(), end = place.end();
  if (source.has_properties(begin) || source.has_anchor(begin, end)) return {};
  const std::size_t after = source.skip_space(end);
  const std::size_t comma = source.at(after) == ',' ? after + 1 : end;  // behind the comma, if there is one
  if (place.count == 1) {
    const std::size_t first = place.container->begin() + 1, last = place.container->end() - 1;
    if (source.slice(first, last).find('#') != std::string_view::npos) return {source.edit(begin, comma, "")};
    return {source.edit(first, last, "")};
  }
  if (source.begins_line(begin) && source.ends_line(comma)) {
    std::vector<Edit> edits = {source.edit(source.line_begin(begin), source.next_line(comma), "")};
    if (place.last() && comma == end) {  // JSON has no comma after the last one
      const std::size_t previous = source.skip_space(place.end_of(place.index - 1));
      if (source.at(previous) != ',') return {};
      edits.insert(edits.begin(), source.edit(previous, previous + 1, ""));
    }
    return edits;
  }
  if (!place.last()) return {source.edit(begin, place.begin_of(place.index + 1), "")};
  const std::size_t previous = place.end_of(place.index - 1);
  // A comment of the item before it stays, and the comma with it: YAML allows one at the end.
  const bool comment = source.slice(previous, begin).find('#') != std::string_view::npos;
  return {source.edit(comment ? begin : previous, end, "")};
}

std::vector<Edit> add_to_flow(const Source& source, const Place& place, const std::string& text) {
  const std::size_t begin = place.begin();
  std::string separator = ", ";
  if (source.begins_line(begin)) {
    const std::size_t line = source.line_begin(begin);
    separator = "," + std::string(source.line_break(begin)) + std::string(source.slice(line, begin));
  }
  return {source.edit(place.end(), place.end(), separator + text)};
}

std::vector<Edit> add_after(const Source& source, const Place& place, const std::string& text) {
  return place.flow() ? add_to_flow(source, place, text) : add_block_line(source, place, text);
}

}  // namespace

std::vector<Edit> replace_scalar(const ConfigNode& root, std::string_view field, const NewScalar& value) {
  const Source source(root);
  const std::optional<Place> place = source.find(field);
  if (!place || !place->value->is_scalar()) return {};
  const std::string text = spell(value, place->value->style(), place->json);
  if (place->has_value()) {
    // An item without a value is all dash.
    const bool absent = !place->key && place->value->is_null() && place->value->text().empty();
    if (absent || source.has_properties(place->value->begin())) return {};
    return {source.edit(place->value->begin(), place->value->end(), text)};
  }
  const std::size_t colon = source.skip_blanks(place->key->end());
  if (source.at(colon) != ':' || place->flow() || !source.ends_line(colon + 1)) return {};
  return {source.edit(colon + 1, colon + 1, " " + text)};
}

std::vector<Edit> rename_key(const ConfigNode& root, std::string_view field, std::string_view name) {
  const Source source(root);
  const std::optional<Place> place = source.find(field);
  if (!place || !place->key || source.has_properties(place->key->begin())) return {};
  return {source.edit(place->key->begin(), place->key->end(), spell(name, place->key->style(), place->json))};
}

std::vector<Edit> remove_field(const ConfigNode& root, std::string_view field) {
  const Source source(root);
  const std::optional<Place> place = source.find(field);
  if (!place) return {};
  return place->flow() ? remove_from_flow(source, *place) : remove_from_block(source, *place);
}

std::vector<Edit> remove_with_empty_mapping(const ConfigNode& root, std::string_view field) {
  const std::string_view outer = parent_of(field);
  const FieldPosition mapping = find_field(root, outer);
  const bool only = mapping.exact && mapping.value->is_mapping() && mapping.value->entries().size() == 1;
  std::vector<Edit> edits = only ? remove_field(root, outer) : std::vector<Edit>();
  return edits.empty() ? remove_field(root, field) : edits;
}

namespace {

// `render` gives the text after "name: ".
template <class Render>
std::vector<Edit> insert_entry(const ConfigNode& root, std::string_view field, std::string_view name, Render render) {
  const Source source(root);
  const std::optional<Place> place = source.find(field);
  if (!place || !place->key || (place->flow() && source.at(source.skip_blanks(place->key->end())) != ':')) return {};
  return add_after(source, *place, spell(name, place->key->style(), place->json) + ": " + render(*place));
}

}  // namespace

std::vector<Edit> insert_after(const ConfigNode& root, std::string_view field, std::string_view name,
                               const NewScalar& value) {
  return insert_entry(root, field, name,
                      [&](const Place& place) { return spell(value, NodeStyle::plain, place.json); });
}

std::vector<Edit> insert_mapping_after(const ConfigNode& root, std::string_view field, std::string_view name,
                                       std::string_view key, const NewScalar& value) {
  return insert_entry(root, field, name, [&](const Place& place) {
    return "{" + spell(key, place.key->style(), place.json) + ": " + spell(value, NodeStyle::plain, place.json) + "}";
  });
}

std::vector<Edit> append_item(const ConfigNode& root, std::string_view field, const NewScalar& value) {
  const Source source(root);
  const ConfigNode* const sequence = find_field(root, field).value;
  if (!sequence->is_sequence() || sequence->items().empty()) return {};
  const std::size_t last = sequence->items().size() - 1;
  const std::optional<Place> place = source.find(std::string(field) + "[" + std::to_string(last) + "]");
  if (!place) return {};
  const std::string text = spell(value, sequence->items()[last].style(), place->json);
  return add_after(source, *place, place->flow() ? text : "- " + text);
}

}  // namespace apf
