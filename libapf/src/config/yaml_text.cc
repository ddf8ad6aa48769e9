#include "config/yaml_text.h"

#include <fmt/core.h>

#include "base/utf8.h"
#include "config/tree_builder.h"

namespace apf {

std::size_t EndFinder::skip_properties(std::size_t at) const {
  while (at < text_.size() && (text_[at] == '&' || text_[at] == '!')) {
    const std::size_t end = text_.substr(at, 2) == "!<" ? text_.find('>', at) : text_.find_first_of(" \t\r\n,[]{}", at);
    at = skip_space(std::min(end, text_.size()));
  }
  return at;
}

std::size_t EndFinder::skip_space(std::size_t at) const {
  while (at < text_.size()) {
    if (text_[at] == '#' && (at == 0 || is_space(text_[at - 1]))) at = line_end(text_, at);
    else if (is_space(text_[at])) ++at;
    else break;
  }
  return at;
}

std::size_t EndFinder::word(std::size_t at) const {
  while (at < text_.size() && !is_space(text_[at]) &&
         std::string_view(",[]{}").find(text_[at]) == std::string_view::npos)
    ++at;
  return at;
}

std::vector<Piece> cut_documents(std::string_view text, std::size_t begin) {
  std::vector<Piece> pieces;
  Piece piece{begin, begin, 0};
  for (std::size_t line = begin, next = begin; line < text.size(); line = next) {
    next = std::min(line_end(text, line) + 1, text.size());
    if (text.substr(line, 3) != "---") continue;
    piece.end = line;
    if (piece.end > piece.begin) pieces.push_back(piece);
    piece = {next, next, 0};
    const std::size_t after = std::min(text.find_first_not_of(" \t\r", line + 3), text.size());
    if (after < text.size() && text[after] != '\n' && text[after] != '#') piece = {line, next, after};
  }
  piece.end = text.size();
  pieces.push_back(piece);
  return pieces;
}

namespace {

// The characters beside LF that end a line for kubectl, and so a comment. Few editors show that.
struct HiddenBreak {
  std::string_view bytes;
  const char* name;
  const char* written;  // in double quotes
};
constexpr HiddenBreak kHiddenBreaks[] = {
    {"\r", "a carriage return (U+000D)", "\\r"},
    {"\xC2\x85", "U+0085", "\\u0085"},
    {"\xE2\x80\xA8", "U+2028", "\\L"},
    {"\xE2\x80\xA9", "U+2029", "\\P"},
};

void check_hidden_break(std::string_view text, std::size_t at) {
  for (const HiddenBreak& hidden : kHiddenBreaks) {
    if (text.substr(at, hidden.bytes.size()) != hidden.bytes) continue;
    throw SyntaxFault{
        kSyntaxError, at, at + hidden.bytes.size(),
        fmt::format("YAML: {} ends a line for kubectl, also in a comment, and most editors do not show it: "
                    "write a line feed, or \"{}\" in double quotes",
                    hidden.name, hidden.written)};
  }
}

}  // namespace

void check_characters(std::string_view text, const Piece& piece) {
  if (piece.stray != 0) {
    throw SyntaxFault{kSyntaxError, piece.stray, line_end(text, piece.stray),
                      "YAML: kubectl takes nothing but a comment behind '---': begin the document on the next line"};
  }
  for (std::size_t i = piece.begin; i < piece.end; ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c < 0x7F) continue;
    if (c == '\t' || c == '\n' || (c == '\r' && text.substr(i + 1, 1) == "\n")) continue;
    check_hidden_break(text, i);
    const CodePoint found = decode_utf8(text, i);
    if (found.value > 0x9F && found.value != 0xFFFE && found.value != 0xFFFF) {
      i += found.length - 1;
      continue;
    }
    throw SyntaxFault{
        kSyntaxError, i, i + 1,
        fmt::format("YAML: control characters are not allowed, found U+{:04X}", static_cast<unsigned>(found.value))};
  }
}

std::optional<OddColon> find_odd_colon(std::string_view text, std::size_t from) {
  constexpr std::string_view kWide = "\xEF\xBC\x9A";
  const std::string_view line = text.substr(0, line_end(text, from));
  for (std::size_t at = from; at < line.size(); ++at) {
    if (line.substr(at, kWide.size()) == kWide)
      return OddColon{at, at + kWide.size(), "U+FF1A (a full-width colon) is text for YAML: write ':' and a blank",
                      ": "};
    const std::string odd = line[at] == ':' ? odd_blank(line, at + 1) : std::string();
    if (!odd.empty())
      return OddColon{at + 1, at + 1 + decode_utf8(line, at + 1).length,
                      odd + " stands behind this ':', and YAML takes both for text: write a blank", " "};
  }
  return std::nullopt;
}

SyntaxFault no_colon(std::string_view text, std::size_t begin, std::size_t end) {
  if (const std::optional<OddColon> odd = find_odd_colon(text, begin))
    return {kSyntaxError, odd->begin, odd->end, "YAML: " + odd->words};
  const std::string_view line = text.substr(begin, line_end(text, begin) - begin);
  if (line == "--" || line == "\xE2\x80\x94--")
    return {kSyntaxError, begin, begin + line.size(), "YAML: objects are separated by three hyphens: write ---"};
  return {kSyntaxError, begin, end, "YAML: expected ':' after this key"};
}

std::string odd_blank(std::string_view text, std::size_t at) {
  if (at >= text.size()) return {};
  const char32_t c = decode_utf8(text, at).value;
  const bool no_width = c == 0x200b;
  const char* const name = c == 0xa0 ? "no-break space" : no_width ? "zero-width space" : "white space";
  return is_wide_blank(c) || no_width ? fmt::format("U+{:04X} ({})", static_cast<std::uint32_t>(c), name)
                                      : std::string();
}

}  // namespace apf
