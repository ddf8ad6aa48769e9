// Quoted, plain and block scalars: escapes, and the folding of their lines.
#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "base/utf8.h"
#include "config/yaml_scanner.h"
#include "config/yaml_text.h"

namespace apf {

namespace {

// What a backslash and one character stand for in double quotes. "\/" is YAML 1.2: kubectl refuses it.
struct Escape {
  char letter;
  std::string_view meaning;
};
constexpr Escape kYamlEscapes[] = {
    {'0', std::string_view("\0", 1)},
    {'a', "\a"},
    {'b', "\b"},
    {'t', "\t"},
    {'\t', "\t"},
    {'n', "\n"},
    {'v', "\v"},
    {'f', "\f"},
    {'r', "\r"},
    {'e', "\x1B"},
    {' ', " "},
    {'"', "\""},
    {'\'', "'"},
    {'\\', "\\"},
    {'N', "\xC2\x85"},
    {'_', "\xC2\xA0"},
    {'L', "\xE2\x80\xA8"},
    {'P', "\xE2\x80\xA9"},
};

[[noreturn]] void fail_scalar(std::size_t begin, std::size_t end, std::string message) {
  throw SyntaxFault{kSyntaxError, begin, end, std::move(message)};
}

unsigned hex_value(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a' + 10) : 16;
}

}  // namespace

// A value that stands in the text as it is isn't copied.
YamlToken YamlScalars::finish(NodeStyle style, std::size_t begin, std::size_t end, std::size_t from) {
  const std::string_view same = cursor_.text().substr(from, value_.size());
  return {TokenKind::scalar, style, begin, end, same == value_ ? same : builder_.store(value_)};
}

// --- in quotes

unsigned YamlScalars::take_hex(int digits, std::size_t begin) {
  unsigned code = 0;
  for (int i = 0; i < digits; ++i) {
    const unsigned digit = hex_value(cursor_.peek());
    if (digit > 15) {
      fail_scalar(begin, cursor_.at(),
                  fmt::format("YAML: expected {} hexadecimal digits after \\{}", digits, cursor_.text()[begin + 1]));
    }
    code = code * 16 + digit;
    cursor_.skip();
  }
  return code;
}

void YamlScalars::take_escape() {
  const std::size_t begin = cursor_.at();
  const char letter = cursor_.peek(1);
  cursor_.skip(2);
  const int digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
  if (digits > 0) {
    const unsigned code = take_hex(digits, begin);
    if ((code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF)
      fail_scalar(begin, cursor_.at(),
                  fmt::format("YAML: U+{:04X} is not a character: write the character itself", code));
    return append_utf8(value_, code);
  }
  const auto* const known = std::find_if(std::begin(kYamlEscapes), std::end(kYamlEscapes),
                                         [&](const Escape& escape) { return escape.letter == letter; });
  if (known == std::end(kYamlEscapes)) {
    const std::size_t length = decode_utf8(cursor_.text(), begin + 1).length;
    fail_scalar(begin, begin + 1 + length,
                fmt::format("YAML: no escape begins with \\{}; write a backslash in double quotes as \\\\",
                            cursor_.text().substr(begin + 1, length)));
  }
  value_ += known->meaning;
}

YamlToken YamlScalars::quoted() {
  const std::size_t begin = cursor_.at();
  const char quote = cursor_.peek();
  value_.clear();
  cursor_.skip();
  for (;;) {
    const bool joined = take_quoted_words(quote, begin);
    if (cursor_.peek() == quote) {
      cursor_.skip();
      if (quote == '"' || cursor_.peek() != quote) break;
      value_ += quote;
      cursor_.skip();
      continue;
    }
    take_gap(joined, 0);
    value_ += gap_;
    if (cursor_.at_end() || cursor_.at_document_end()) fail_scalar(begin, begin + 1, kOpenQuote);
  }
  return finish(quote == '"' ? NodeStyle::double_quoted : NodeStyle::single_quoted, begin, cursor_.at(), begin + 1);
}

// Up to white space or the quote. True if a backslash joined this line with the next one.
bool YamlScalars::take_quoted_words(char quote, std::size_t begin) {
  while (!cursor_.is_gap() && cursor_.peek() != quote) {
    const std::size_t from = cursor_.at();
    const bool escapes = quote == '"';
    while (!cursor_.is_gap() && cursor_.peek() != quote && !(escapes && cursor_.peek() == '\\')) cursor_.skip();
    take_run(from);
    if (!escapes || cursor_.peek() != '\\') continue;
    if (cursor_.at_end(1)) fail_scalar(begin, begin + 1, kOpenQuote);
    if (cursor_.is_break(1)) {
      cursor_.skip();
      cursor_.skip_break();
      return true;
    }
    take_escape();
  }
  return false;
}

// One line break folds into a space, of more the first one goes. A joined line has had its first one.
bool YamlScalars::take_gap(bool joined, int least_column) {
  gap_.clear();
  bool folded = joined;
  std::size_t breaks = 0;
  for (; cursor_.is_blank() || cursor_.is_break();) {
    if (cursor_.is_break()) {
      if (folded) ++breaks;
      folded = true;
      cursor_.skip_break();
      continue;
    }
    if (!folded) gap_ += cursor_.peek();
    if (folded && cursor_.column() < least_column && cursor_.peek() == '\t')
      fail_scalar(cursor_.at(), cursor_.at() + 1, kIndentingTab);
    cursor_.skip();
  }
  if (folded) gap_.assign(breaks, '\n');
  if (folded && !joined && breaks == 0) gap_ = " ";
  return folded;
}

// --- without quotes

YamlToken YamlScalars::plain(int indent, bool in_flow, bool& ended_line) {
  const std::size_t begin = cursor_.at();
  std::size_t end = begin;
  value_.clear();
  gap_.clear();
  ended_line = false;
  while (!cursor_.at_document_end() && cursor_.peek() != '#') {
    const std::size_t from = cursor_.at();
    while (!cursor_.is_gap() && !(cursor_.peek() == ':' && cursor_.is_gap(1)) &&
           !(in_flow && std::string_view(",?[]{}").find(cursor_.peek()) != std::string_view::npos))
      cursor_.skip();
    if (cursor_.at() > from) {
      value_ += gap_;
      take_run(from);
      end = cursor_.at();
      ended_line = false;
    }
    if (!cursor_.is_blank() && !cursor_.is_break()) break;
    ended_line = take_gap(false, indent + 1);
    if (!in_flow && cursor_.column() <= indent) break;
  }
  return finish(NodeStyle::plain, begin, end, begin);
}

// --- in block style

YamlToken YamlScalars::block(int around) {
  const std::size_t begin = cursor_.at();
  const bool folded = cursor_.peek() == '>';
  cursor_.skip();
  const BlockHeader header = take_block_header();
  std::size_t end = cursor_.at();
  if (cursor_.is_break()) cursor_.skip_break();
  int indent = header.indent == 0 ? 0 : std::max(around, 0) + header.indent;
  value_.clear();
  std::size_t breaks = take_block_breaks(around, indent);
  bool broken = false;  // there was a line before
  bool indented = false;
  while (cursor_.column() == indent && !cursor_.at_end()) {
    const bool fold = folded && broken && !indented && !cursor_.is_blank();
    if (broken && !fold) value_ += '\n';
    if (fold && breaks == 0) value_ += ' ';
    value_.append(breaks, '\n');
    indented = cursor_.is_blank();
    const std::size_t from = cursor_.at();
    cursor_.skip_to_break();
    take_run(from);
    end = cursor_.at();
    broken = true;  // kubectl ends a text with a line break that has none
    if (cursor_.is_break()) cursor_.skip_break();
    breaks = take_block_breaks(around, indent);
  }
  if (broken && header.chomping != '-') value_ += '\n';
  if (header.chomping == '+') value_.append(breaks, '\n');
  return finish(folded ? NodeStyle::folded : NodeStyle::literal, begin, end, begin);
}

// What follows '|' or '>' on its line.
YamlScalars::BlockHeader YamlScalars::take_block_header() {
  BlockHeader header;
  for (int i = 0; i < 2; ++i) {
    const char c = cursor_.peek();
    if ((c == '+' || c == '-') && header.chomping == ' ') header.chomping = c;
    else if (c >= '1' && c <= '9' && header.indent == 0) header.indent = c - '0';
    else break;
    cursor_.skip();
  }
  while (cursor_.is_blank()) cursor_.skip();
  if (cursor_.peek() == '#') cursor_.skip_to_break();
  if (!cursor_.is_break() && !cursor_.at_end()) {
    fail_scalar(cursor_.at(), cursor_.at() + 1,
                "YAML: expected nothing but an indentation indicator and a comment after '|' or '>'");
  }
  return header;
}

// Over empty lines and the next line's indentation, which the first of them sets. Returns the line breaks.
std::size_t YamlScalars::take_block_breaks(int around, int& indent) {
  std::size_t breaks = 0;
  int widest = 0;
  for (;; ++breaks) {
    while ((indent == 0 || cursor_.column() < indent) && cursor_.peek() == ' ') cursor_.skip();
    widest = std::max(widest, cursor_.column());
    if ((indent == 0 || cursor_.column() < indent) && cursor_.peek() == '\t')
      fail_scalar(cursor_.at(), cursor_.at() + 1, kIndentingTab);
    if (!cursor_.is_break()) break;
    cursor_.skip_break();
  }
  if (indent == 0) indent = std::max({widest, around + 1, 1});
  return breaks;
}

}  // namespace apf
