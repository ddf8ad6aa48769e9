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

std::string_view unquoted(std::string_view word) {
  const auto is_quote = [](char c) { return c == '"' || c == '\''; };
  if (!word.empty() && is_quote(word.front())) word.remove_prefix(1);
  if (!word.empty() && is_quote(word.back())) word.remove_suffix(1);
  return word;
}

// A mapping or a list that is open at a place.
struct OpenNode {
  bool is_list = false, is_flow = false;
  int column = 0;           // of its keys or dashes; of braces: to be passed by each line before they close
  std::string key = {};     // of a mapping: whose value is open
  std::size_t number = 0;   // of a mapping, from 1
  std::size_t mapping = 0;  // the nearest one, itself or around it: its place among the open ones, from 1
};

// Reads a document line by line, for what is open at the cursor. It goes on behind it, for the other keys there.
class TypedReader {
 public:
  TypedReader(std::string_view text, std::size_t cursor) : text_(text), cursor_(cursor) {}

  void read_line(std::size_t begin, std::size_t end);
  TypedPlace take();

 private:
  bool in_flow() const { return !open_.empty() && open_.back().is_flow; }
  bool is(std::size_t at, std::string_view chars) const { return chars.find(text_[at]) != chars.npos; }
  std::size_t skip_blanks(std::size_t at, std::size_t end) const {
    return std::min(text_.find_first_not_of(" \t", at), end);
  }
  // Whether a colon at the place ends a key.
  bool ends_key(std::size_t at, std::size_t end, bool quoted) const {
    return at < end && text_[at] == ':' && (at + 1 == end || quoted || text_[at + 1] == ' ');
  }
  std::size_t word_end(std::size_t at, std::size_t end) const {
    while (at < end && !is(at, " \t,[]{}\"'#") && !ends_key(at, end, false)) ++at;
    return at;
  }
  void open(bool is_list, bool is_flow, int column);
  void enter(int column);
  void set_key(std::string_view key, bool at_cursor);
  void add_value(std::string_view value);
  std::size_t read_block(std::size_t begin, std::size_t end);
  void read_values(std::size_t at, std::size_t end);
  void stop_at_cursor(std::size_t word, bool in_quotes = false);

  struct Token {
    std::size_t begin = 0, end = 0, next = 0;
    bool quoted = false;
  };
  Token token_at(std::size_t at, std::size_t end) const;

  std::string_view text_;
  std::size_t cursor_;
  std::size_t line_end_ = 0;
  bool here_ = false, stopped_ = false;  // the cursor is in this line; it has been passed
  std::vector<OpenNode> open_;
  std::vector<std::vector<TypedPlace::Entry>> maps_{1};  // by number; the first one is none
  int scalar_ = -1;                                      // what stands further to the right is a text of many lines
  TypedPlace out_;
  std::optional<std::size_t> own_;                      // of the siblings: the key that the cursor is at
  std::size_t object_ = 0, siblings_ = 0, around_ = 0;  // numbers
};

void TypedReader::open(bool is_list, bool is_flow, int column) {
  const std::size_t around = open_.empty() ? 0 : open_.back().mapping;
  open_.push_back({is_list, is_flow, column, {}, is_list ? 0 : maps_.size(), is_list ? around : open_.size() + 1});
  if (!is_list) maps_.emplace_back();
}

// The mapping in block style whose keys begin there.
void TypedReader::enter(int column) {
  while (!open_.empty() && (open_.back().column > column || (open_.back().is_list && open_.back().column == column)))
    open_.pop_back();
  if (open_.empty() || open_.back().is_list || open_.back().column < column) open(false, false, column);
  open_.back().key.clear();
}

void TypedReader::set_key(std::string_view key, bool at_cursor) {
  open_.back().key = key;
  if (at_cursor) own_ = maps_[open_.back().number].size();
  maps_[open_.back().number].push_back({std::string(key), {}});
}

void TypedReader::add_value(std::string_view value) {
  if (open_.empty() || open_.back().mapping == 0) return;
  const OpenNode& mapping = open_[open_.back().mapping - 1];
  if (!mapping.key.empty()) maps_[mapping.number].back().values.emplace_back(value);
}

void TypedReader::stop_at_cursor(std::size_t word, bool in_quotes) {
  if (stopped_) return;
  stopped_ = true;
  out_.word = text_.substr(word, cursor_ - word);
  out_.range = {word, cursor_};
  out_.word_end = word_end(cursor_, line_end_);
  out_.in_quotes = in_quotes;
  if (open_.empty()) open(false, false, 0);
  // An object of a list has a kind of its own.
  const bool in_items =
      open_.size() > 2 && open_[0].key == "items" && open_[1].is_list && !open_[2].is_list && !open_[2].key.empty();
  const std::size_t first = in_items ? 2 : 0;
  object_ = open_[first].number;
  for (std::size_t i = first; i < open_.size(); ++i) {
    if (open_[i].is_list) out_.path.emplace_back(kItem);
    else if (!open_[i].key.empty()) out_.path.push_back(open_[i].key);
    if (!open_[i].is_list) siblings_ = open_[i].number;
    if (!open_[i].key.empty()) around_ = open_[i].number;
  }
  out_.wants_value = open_.back().is_list ? open_.back().is_flow : !open_.back().key.empty();
}

TypedReader::Token TypedReader::token_at(std::size_t at, std::size_t end) const {
  Token out{at, at, end, is(at, "\"'")};
  if (out.quoted) {
    out.begin = ++out.end;
    while (out.end < end && text_[out.end] != text_[at]) out.end += text_[at] == '"' && text_[out.end] == '\\' ? 2 : 1;
    out.end = std::min(out.end, end);
    out.next = std::min(out.end + 1, end);
    return out;
  }
  while (out.end < end && !(in_flow() && (is(out.end, ",[]{}") || ends_key(out.end, end, false))) &&
         !(text_[out.end] == '#' && out.end > at && text_[out.end - 1] == ' '))
    ++out.end;
  out.next = out.end;
  while (out.end > at && text_[out.end - 1] == ' ') --out.end;
  return out;
}

// The dashes and the key of a line. Where its value begins.
std::size_t TypedReader::read_block(std::size_t begin, std::size_t end) {
  const auto column_of = [&](std::size_t at) { return static_cast<int>(at - begin); };
  std::size_t at = skip_blanks(begin, end);
  // Something may be typed to the left of what is there.
  const auto look_before = [&] {
    if (!here_ || stopped_ || cursor_ > at) return;
    enter(column_of(cursor_));
    stop_at_cursor(cursor_);
  };
  while (at < end && text_[at] == '-' && (at + 1 == end || text_[at + 1] == ' ')) {
    look_before();
    const int column = column_of(at);
    while (!open_.empty() && open_.back().column > column) open_.pop_back();
    // A list may begin in the column of its key.
    if (open_.empty() || !open_.back().is_list || open_.back().column < column) open(true, false, column);
    at = skip_blanks(at + 1, end);
  }
  look_before();
  if (at == end || is(at, "[{#")) return at;
  std::size_t colon = at;
  if (is(at, "\"'")) colon = skip_blanks(token_at(at, end).next, end);
  else
    while (colon < end && text_[colon] != '#' && !ends_key(colon, end, false)) ++colon;
  const bool has_key = ends_key(colon, end, false), on_key = here_ && cursor_ >= at && cursor_ <= colon;
  const Token token = has_key ? Token{at, colon, colon, false} : token_at(at, end);
  const std::string_view word = text_.substr(token.begin, token.end - token.begin);
  if (!has_key) add_value(word);
  if (has_key || (here_ && cursor_ >= at)) enter(column_of(at));
  if (on_key || !has_key) {
    const bool quoted = is(at, "\"'");
    if (here_) stop_at_cursor(std::min(cursor_, at + (quoted ? 1 : 0)), quoted);
  }
  if (!has_key) return end;
  set_key(unquoted(trimmed(word)), on_key);
  return colon + 1;
}

void TypedReader::read_values(std::size_t at, std::size_t end) {
  while (true) {
    at = skip_blanks(at, end);
    if (here_ && cursor_ <= at) stop_at_cursor(cursor_);
    if (at == end || text_[at] == '#') return;
    if (is(at, "[{")) {
      const int column = open_.empty() ? -1 : open_.back().column;
      open(text_[at] == '[', true, column);
      ++at;
    } else if (in_flow() && is(at, "]},")) {
      if (text_[at] != ',') open_.pop_back();
      else open_.back().key.clear();
      ++at;
      if (in_flow()) continue;
      if (here_) stop_at_cursor(cursor_);
      return;
    } else {
      const Token token = token_at(at, end);
      const std::string_view word = text_.substr(token.begin, token.end - token.begin);
      const bool at_cursor = here_ && cursor_ >= at && cursor_ <= token.next;
      if (at_cursor) stop_at_cursor(std::min(token.begin, cursor_), token.quoted);
      at = skip_blanks(token.next, end);
      if (in_flow() && !open_.back().is_list && open_.back().key.empty() && ends_key(at, end, token.quoted)) {
        set_key(word, at_cursor);
        ++at;
      } else {
        add_value(word);
        if (!in_flow() && !word.empty() && !token.quoted && (word[0] == '|' || word[0] == '>'))
          scalar_ = open_.empty() ? -1 : open_.back().column;
        // What follows braces by mistake.
        if (token.next == token.begin) ++at;
      }
    }
  }
}

void TypedReader::read_line(std::size_t begin, std::size_t end) {
  here_ = begin <= cursor_ && cursor_ <= end;
  line_end_ = end;
  const std::size_t first = skip_blanks(begin, end);
  const bool is_blank = first == end || text_[first] == '#';
  const int column = static_cast<int>(first - begin);
  if (scalar_ >= 0 && (is_blank || column > scalar_)) {
    if (here_) stop_at_cursor(cursor_);
    return;
  }
  if (is_blank && !here_) return;
  scalar_ = -1;
  // Braces that never close end with the line.
  if (in_flow() && !is_blank && column <= open_.back().column && !is(first, "]}")) {
    while (in_flow()) open_.pop_back();
  }
  read_values(in_flow() ? begin : read_block(begin, end), end);
}

TypedPlace TypedReader::take() {
  if (!stopped_) return {};
  for (const TypedPlace::Entry& entry : maps_[object_]) {
    if (entry.values.empty()) continue;
    if (entry.key == "apiVersion") out_.api_version = entry.values[0];
    if (entry.key == "kind") out_.kind = entry.values[0];
  }
  out_.siblings = maps_[siblings_];
  if (own_) out_.siblings.erase(out_.siblings.begin() + static_cast<std::ptrdiff_t>(*own_));
  out_.around = maps_[around_];
  return std::move(out_);
}

}  // namespace

bool ends_with(std::span<const std::string> path, std::initializer_list<std::string_view> keys) {
  return keys.size() <= path.size() && std::equal(keys.begin(), keys.end(), path.end() - std::ssize(keys));
}

std::optional<Place> place_at(const ConfigTree& tree, std::size_t offset) {
  for (const ConfigDocument& document : tree.documents()) {
    if (!holds_offset(*document.root, offset)) continue;
    Place place{document.root->find_string("apiVersion"), document.root->find_string("kind"), {}, {}, {}, false};
    if (descend(*document.root, offset, place)) return place;
  }
  return std::nullopt;
}

TypedPlace typed_place(std::string_view text, const LineTable& lines, std::size_t offset) {
  const auto [first, end] = lines.document_around(lines.line_of(offset));
  TypedReader reader(text, offset);
  for (std::size_t line = first; line < end; ++line) {
    const std::string_view written = lines.text_of(line);
    if (!written.starts_with("---")) reader.read_line(lines.begin_of(line), lines.begin_of(line) + written.size());
  }
  return reader.take();
}

}  // namespace apf
