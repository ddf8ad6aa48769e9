// Small things about text that several modules need.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>

namespace apf {

// Without white space at both ends: spaces, tabs, ends of lines.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// An input as messages name it; "-": standard input.
inline std::string name_of_input(std::string_view path) { return std::string(path == "-" ? "standard input" : path); }

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

inline bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
inline bool has_capitals(std::string_view text) { return std::any_of(text.begin(), text.end(), is_capital); }

// Of ASCII letters alone, whatever the locale.
inline std::string in_lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (is_capital(c)) c = static_cast<char>(c - 'A' + 'a');
  return out;
}

template <class Names>
bool is_one_of(const Names& names, std::string_view word) {
  return std::find(std::begin(names), std::end(names), word) != std::end(names);
}

// Any of them; with a list in braces, too.
template <class Beginnings = std::initializer_list<std::string_view>>
bool starts_with_any(std::string_view text, const Beginnings& beginnings) {
  return std::any_of(std::begin(beginnings), std::end(beginnings),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

// Upper or lower case; -1 for any other character.
inline int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace apf
