#include "config/yaml_text.h"

#include <fmt/core.h>

#include "config/tree_builder.h"

namespace apf {

std::size_t EndFinder::skip_properties(std::size_t at) const {
  while (at < text_.size() && (text_[at] == '&' || text_[at] == '!')) {
    while (at < text_.size() && !is_space(text_[at])) ++at;
    at = skip_space(at);
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

std::size_t EndFinder::single_quoted(std::size_t at) const {
  for (++at; at < text_.size(); ++at) {
    if (text_[at] != '\'') continue;
    if (at + 1 >= text_.size() || text_[at + 1] != '\'') return at + 1;
    ++at;
  }
  return text_.size();
}

std::size_t EndFinder::double_quoted(std::size_t at) const {
  for (++at; at < text_.size() && text_[at] != '"'; ++at) {
    if (text_[at] == '\\') ++at;
  }
  return std::min(at + 1, text_.size());
}

// `value` with its line folds undone again: any white space in it matches any in the text.
std::size_t EndFinder::plain(std::size_t at, std::string_view value) const {
  for (std::size_t i = 0; i < value.size() && at < text_.size();) {
    if (value[i] == text_[at]) {
      ++i;
      ++at;
    } else if (is_space(value[i])) {
      while (i < value.size() && is_space(value[i])) ++i;
      while (at < text_.size() && is_space(text_[at])) ++at;
    } else if (is_space(text_[at])) {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

// A block scalar ends before the first line that is less indented than its first.
std::size_t EndFinder::block_scalar(std::size_t at) const {
  std::size_t end = line_end(text_, at);
  std::size_t indent = 0;
  for (std::size_t line = end + 1; line < text_.size(); line = line_end(text_, line) + 1) {
    std::size_t first = line;
    while (first < text_.size() && text_[first] == ' ') ++first;
    if (first >= text_.size()) break;
    if (text_[first] == '\n' || text_[first] == '\r') continue;
    if (indent == 0) indent = first - line;
    if (indent == 0 || first - line < indent) break;
    end = line_end(text_, line);
  }
  return end;
}

// The bracket that closes a flow container whose last item ends at `at`.
std::size_t EndFinder::flow_end(std::size_t at, char close) const {
  for (at = skip_space(at); at < text_.size() && (text_[at] == ',' || text_[at] == ':' || text_[at] == '?');)
    at = skip_space(at + 1);
  return at < text_.size() && text_[at] == close ? at + 1 : at;
}

namespace {

// "---" or "..." alone or before white space, at the beginning of a line.
bool is_marker(std::string_view text, std::size_t line, std::string_view marker) {
  if (text.substr(line, 3) != marker) return false;
  return line + 3 >= text.size() || is_space(text[line + 3]);
}

bool is_directive(std::string_view text, std::size_t line) {
  return text.substr(line).starts_with("%YAML ") || text.substr(line).starts_with("%TAG ");
}

}  // namespace

std::vector<Piece> cut_documents(std::string_view text, std::size_t begin) {
  std::vector<Piece> pieces;
  Piece piece{begin, begin, false, {}};
  bool marked = false;  // the piece has its "---"
  for (std::size_t line = begin, next = begin; line < text.size(); line = next) {
    next = std::min(line_end(text, line) + 1, text.size());
    if (is_marker(text, line, "---")) {
      if (marked || piece.has_content) {
        piece.end = line;
        pieces.push_back(std::move(piece));
        piece = {line, line, false, {}};
      }
      marked = true;
      if (EndFinder(text.substr(0, next)).skip_space(line + 3) < next) piece.has_content = true;
      continue;
    }
    if (is_marker(text, line, "...")) {
      piece.end = next;
      pieces.push_back(std::move(piece));
      piece = {next, next, false, {}};
      marked = false;
      continue;
    }
    if (text[line] == '%') {
      if (!marked && !piece.has_content && is_directive(text, line)) continue;
      piece.suspects.push_back({line, kStrayDirective, false});
    }
    std::size_t first = line;
    while (is_blank(text[first]) && first + 1 < next) ++first;
    const std::size_t tab = text.substr(line, first - line).find('\t');
    if (tab != text.npos) piece.suspects.push_back({line + tab, kIndentingTab, false});
    if (!is_space(text[first]) && text[first] != '#') piece.has_content = true;
  }
  piece.end = text.size();
  pieces.push_back(std::move(piece));
  return pieces;
}

void check_characters(std::string_view text, const Piece& piece) {
  for (std::size_t i = piece.begin; i < piece.end; ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool control = (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
    const bool c1 =
        c == 0xC2 && i + 1 < piece.end && static_cast<unsigned char>(text[i + 1]) < 0xA0 && text[i + 1] != '\x85';
    if (!control && !c1) continue;
    const unsigned code = c1 ? static_cast<unsigned char>(text[i + 1]) : c;
    throw SyntaxFault{kSyntaxError, i, i + 1,
                      fmt::format("YAML: control characters are not allowed, found U+{:04X}", code)};
  }
}

}  // namespace apf
