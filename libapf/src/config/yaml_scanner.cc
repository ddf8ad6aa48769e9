#include "config/yaml_scanner.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "config/yaml_text.h"

namespace apf {

namespace {

// A key ends within this many characters.
constexpr std::size_t kLongestSimpleKey = 1024;

bool is_name(char c) { return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' || c == '-'; }

bool is_one_of(char c, std::string_view characters) { return characters.find(c) != std::string_view::npos; }

bool has_more_characters(std::string_view text, std::size_t most) {
  if (text.size() <= most) return false;
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }) >
         static_cast<std::ptrdiff_t>(most);
}

}  // namespace

const YamlToken& YamlScanner::peek() {
  while (needs_more()) fetch();
  return tokens_.front();
}

YamlToken YamlScanner::next() {
  YamlToken token = peek();
  if (token.kind == TokenKind::end) return token;
  tokens_.pop_front();
  ++taken_;
  return token;
}

// The first token is known once it can no longer become a key.
bool YamlScanner::needs_more() {
  if (tokens_.empty()) return true;
  for (PossibleKey& key : keys_) {
    if (key.token == taken_ && is_valid(key)) return true;
  }
  return false;
}

void YamlScanner::fetch() {
  if (ended_) return tokens_.push_back({TokenKind::end, {}, cursor_.at(), cursor_.at(), {}});
  skip_to_token();
  unindent_to(cursor_.column());
  if (cursor_.at_end()) return fetch_end();
  if (cursor_.at_document_end()) {
    unindent_to(-1);
    drop_key();
    key_allowed_ = false;
    return add(TokenKind::document_end, 3);
  }
  const char c = cursor_.peek();
  if (cursor_.column() == 0 && c == '%') fail_character();
  const bool before_gap = cursor_.is_gap(1);
  if (c == '[' || c == '{') return fetch_flow_begin(c == '[' ? TokenKind::flow_sequence : TokenKind::flow_mapping);
  if (c == ']' || c == '}')
    return fetch_flow_end(c == ']' ? TokenKind::flow_sequence_end : TokenKind::flow_mapping_end);
  if (c == ',') {
    drop_key();
    key_allowed_ = true;
    return add(TokenKind::flow_entry, 1);
  }
  if (c == '-' && before_gap) return fetch_block_entry();
  if (c == '?' && (in_flow() || before_gap)) return fetch_key();
  if (c == ':' && (in_flow() || before_gap)) return fetch_value();
  if (c == '*') return fetch_name(TokenKind::alias);
  if (c == '&') return fetch_name(TokenKind::anchor);
  if (c == '!') return fetch_tag();
  if ((c == '|' || c == '>') && !in_flow()) {
    drop_key();
    key_allowed_ = true;
    return tokens_.push_back(scalars_.block(indent_));
  }
  if (is_one_of(c, "%@`|>") || cursor_.is_gap()) fail_character();
  save_key();
  key_allowed_ = false;
  last_scalar_ = cursor_.at();
  if (c == '\'' || c == '"') return tokens_.push_back(scalars_.quoted());
  bool ended_line = false;
  tokens_.push_back(scalars_.plain(indent_, in_flow(), ended_line));
  if (ended_line) key_allowed_ = true;
}

// A tab is white space, but no indentation.
void YamlScanner::skip_to_token() {
  for (;;) {
    while (cursor_.peek() == ' ' || (cursor_.peek() == '\t' && (in_flow() || !key_allowed_))) cursor_.skip();
    if (cursor_.peek() == '#') cursor_.skip_to_break();
    if (!cursor_.is_break()) return;
    cursor_.skip_break();
    if (!in_flow()) key_allowed_ = true;
  }
}

void YamlScanner::fail_character() const {
  const char c = cursor_.peek();
  const char* message = "YAML: expected a value; a text that begins with this character needs quotes";
  if (c == '\t') message = kIndentingTab;
  if (c == '%' && cursor_.column() == 0) message = kStrayDirective;
  throw SyntaxFault{kSyntaxError, cursor_.at(), cursor_.at() + 1, message};
}

void YamlScanner::add(TokenKind kind, std::size_t bytes) {
  tokens_.push_back({kind, {}, cursor_.at(), cursor_.at() + bytes, {}});
  cursor_.skip(bytes);
}

void YamlScanner::insert(std::size_t number, TokenKind kind, std::size_t at) {
  tokens_.insert(tokens_.begin() + static_cast<std::ptrdiff_t>(number - taken_), {kind, {}, at, at, {}});
}

// --- indentation

void YamlScanner::indent_to(int column, std::size_t number, TokenKind kind, std::size_t at) {
  if (in_flow() || indent_ >= column) return;
  indents_.push_back(indent_);
  indent_ = column;
  insert(number, kind, at);
}

void YamlScanner::unindent_to(int column) {
  if (in_flow()) return;
  for (; indent_ > column; indents_.pop_back()) {
    add(TokenKind::block_end, 0);
    indent_ = indents_.back();
  }
}

// --- possible keys

bool YamlScanner::is_valid(PossibleKey& key) const {
  if (!key.possible) return false;
  const std::string_view since = cursor_.text().substr(key.begin, cursor_.at() - key.begin);
  if (key.line == cursor_.line() && !has_more_characters(since, kLongestSimpleKey)) return true;
  if (key.required) throw no_colon(key.begin, EndFinder(cursor_.text()).word(key.begin));
  key.possible = false;
  return false;
}

void YamlScanner::save_key() {
  if (!key_allowed_) return;
  drop_key();
  const bool required = !in_flow() && indent_ == cursor_.column();
  keys_.back() = {true, required, taken_ + tokens_.size(), cursor_.at(), cursor_.line()};
}

void YamlScanner::drop_key() {
  PossibleKey& key = keys_.back();
  if (key.possible && key.required) throw no_colon(key.begin, EndFinder(cursor_.text()).word(key.begin));
  key.possible = false;
}

// --- tokens

void YamlScanner::fetch_end() {
  unindent_to(-1);
  drop_key();
  for (PossibleKey& key : keys_) key.possible = false;
  key_allowed_ = false;
  ended_ = true;
  add(TokenKind::end, 0);
}

void YamlScanner::fetch_flow_begin(TokenKind kind) {
  save_key();
  keys_.emplace_back();
  key_allowed_ = true;
  add(kind, 1);
}

void YamlScanner::fetch_flow_end(TokenKind kind) {
  drop_key();
  if (in_flow()) keys_.pop_back();
  key_allowed_ = false;
  add(kind, 1);
}

void YamlScanner::fetch_block_entry() {
  if (!in_flow()) {
    if (!key_allowed_) {
      throw SyntaxFault{kSyntaxError, cursor_.at(), cursor_.at() + 1,
                        "YAML: did not expect '- ' here: a list begins on a line of its own"};
    }
    indent_to(cursor_.column(), taken_ + tokens_.size(), TokenKind::block_sequence, cursor_.at());
  }
  drop_key();
  key_allowed_ = true;
  add(TokenKind::block_entry, 1);
}

void YamlScanner::fetch_key() {
  if (!in_flow()) {
    if (!key_allowed_) {
      throw SyntaxFault{kSyntaxError, cursor_.at(), cursor_.at() + 1, "YAML: did not expect a mapping key here"};
    }
    indent_to(cursor_.column(), taken_ + tokens_.size(), TokenKind::block_mapping, cursor_.at());
  }
  drop_key();
  key_allowed_ = !in_flow();
  add(TokenKind::key, 1);
}

void YamlScanner::fetch_value() {
  PossibleKey& key = keys_.back();
  if (is_valid(key)) {
    insert(key.token, TokenKind::key, key.begin);
    indent_to(static_cast<int>(key.begin - key.line), key.token, TokenKind::block_mapping, key.begin);
    key.possible = false;
    key_allowed_ = false;
  } else {
    if (!in_flow()) {
      if (!key_allowed_) fail_colon();
      indent_to(cursor_.column(), taken_ + tokens_.size(), TokenKind::block_mapping, cursor_.at());
    }
    key_allowed_ = !in_flow();
  }
  add(TokenKind::value, 1);
}

// A key without its ':' has taken the next line's key for the rest of its own text.
void YamlScanner::fail_colon() const {
  const std::string_view text = cursor_.text();
  if (last_scalar_ < cursor_.line()) {
    const std::size_t begin = last_scalar_;
    const std::size_t before = begin == 0 ? text.npos : text.find_last_not_of(' ', begin - 1);
    if (before == text.npos || text[before] == '\n') throw no_colon(begin, EndFinder(text).word(begin));
  }
  throw SyntaxFault{kSyntaxError, cursor_.at(), cursor_.at() + 1, kStrayColon};
}

void YamlScanner::fetch_name(TokenKind kind) {
  save_key();
  key_allowed_ = false;
  const std::size_t begin = cursor_.at();
  const char mark = cursor_.peek();
  std::size_t length = 1;
  while (is_name(cursor_.peek(length))) ++length;
  if (length == 1) {
    throw SyntaxFault{
        kSyntaxError, begin + 1, begin + 2,
        fmt::format("YAML: expected a name after '{0}'; a text that begins with '{0}' needs quotes", mark)};
  }
  if (!cursor_.is_gap(length) && !is_one_of(cursor_.peek(length), "?:,]}%@`")) {
    throw SyntaxFault{
        kSyntaxError, begin + length, begin + length + 1,
        fmt::format(
            "YAML: expected a name of letters and digits after '{0}'; a text that begins with '{0}' needs quotes",
            mark)};
  }
  add(kind, length);
  tokens_.back().text = cursor_.text().substr(begin + 1, length - 1);
}

void YamlScanner::fetch_tag() {
  save_key();
  key_allowed_ = false;
  const std::size_t begin = cursor_.at();
  std::size_t length = 1;
  const bool verbatim = cursor_.peek(1) == '<';
  if (verbatim) ++length;
  while (is_name(cursor_.peek(length)) ||
         (!cursor_.at_end(length) && is_one_of(cursor_.peek(length), ";/?:@&=+$,.!~*'()[]")))
    ++length;
  if (verbatim && cursor_.peek(length) == '>') ++length;
  else if (verbatim) length = 1;
  if (cursor_.peek(length) == '%') {
    throw SyntaxFault{kSyntaxError, begin, begin + length + 1,
                      "YAML: apfctl does not read tags with a '%'; a text that begins with '!' needs quotes"};
  }
  const bool short_of_name = length == 2 && cursor_.peek(1) == '!';
  if (!cursor_.is_gap(length) || short_of_name || (verbatim && length == 1)) {
    throw SyntaxFault{kSyntaxError, begin, begin + length,
                      "YAML: expected a tag and a space after it; a text that begins with '!' needs quotes"};
  }
  add(TokenKind::tag, length);
  tokens_.back().text = cursor_.text().substr(begin, length);
}

}  // namespace apf
