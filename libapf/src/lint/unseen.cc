#include "lint/unseen.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/utf8.h"

namespace apf {

namespace {

// Letters of other alphabets with the shape of a Latin one.
struct LookAlike {
  char32_t letter;
  char latin;
};
constexpr LookAlike kLookAlikes[] = {
    {0x430, 'a'}, {0x441, 'c'}, {0x501, 'd'}, {0x435, 'e'}, {0x4bb, 'h'}, {0x456, 'i'}, {0x458, 'j'}, {0x43a, 'k'},
    {0x4cf, 'l'}, {0x43c, 'm'}, {0x43e, 'o'}, {0x440, 'p'}, {0x51b, 'q'}, {0x433, 'r'}, {0x455, 's'}, {0x442, 't'},
    {0x475, 'v'}, {0x51d, 'w'}, {0x445, 'x'}, {0x443, 'y'}, {0x3b1, 'a'}, {0x3b5, 'e'}, {0x3b9, 'i'}, {0x3ba, 'k'},
    {0x3bd, 'v'}, {0x3bf, 'o'}, {0x3c1, 'p'}, {0x3c4, 't'}, {0x3c5, 'u'}, {0x3c7, 'x'}, {0x3b3, 'y'}};

bool is_latin(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_cyrillic(char32_t c) { return c >= 0x400 && c < 0x530; }
bool is_greek(char32_t c) { return c >= 0x370 && c < 0x400; }
bool is_white(char32_t c) { return c == ' ' || c == '\t' || c == '\n' || is_wide_blank(c); }

bool is_full_width(char32_t c) { return c >= 0xff01 && c <= 0xff5e; }
bool is_dash(char32_t c) { return (c >= 0x2010 && c <= 0x2015) || c == 0x2212; }
bool is_curly_quote(char32_t c) { return (c >= 0x2018 && c <= 0x201f) || c == 0xab || c == 0xbb; }

// The ASCII character that one looks like; 0: none.
char look_alike(char32_t c) {
  if (is_full_width(c)) return static_cast<char>(c - 0xfee0);
  if (is_dash(c)) return '-';
  const auto* like = std::find_if(std::begin(kLookAlikes), std::end(kLookAlikes),
                                  [&](const LookAlike& one) { return one.letter == c; });
  return like == std::end(kLookAlikes) ? '\0' : like->latin;
}

std::string words_for(char32_t c) {
  const char* name = c == ' '                                     ? "a blank"
                     : c == 0xa0                                  ? "a no-break space"
                     : c == 0xfeff                                ? "a byte order mark"
                     : c == 0x200b                                ? "a zero-width space"
                     : is_white(c)                                ? "white space"
                     : is_cyrillic(c)                             ? "a Cyrillic letter"
                     : is_greek(c)                                ? "a Greek letter"
                     : is_dash(c)                                 ? "a dash that is no hyphen"
                     : is_full_width(c)                           ? "a full-width character"
                     : is_curly_quote(c) || c == '"' || c == '\'' ? "a quote"
                                                                  : "invisible";
  return fmt::format("U+{:04X}, {}", static_cast<std::uint32_t>(c), name);
}

// A word in two alphabets is none.
bool is_mixed(std::string_view text, std::size_t at) {
  const auto is_letter = [](char32_t c) { return is_latin(c) || is_cyrillic(c) || is_greek(c); };
  std::size_t begin = 0;
  bool latin = false;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = decode_utf8(text, i);
    if (!is_letter(c.value)) {
      if (i > at) break;
      begin = i + c.length;
      latin = false;
    }
    latin = latin || is_latin(c.value);
    i += c.length;
  }
  return begin <= at && latin;
}

// Quotes within those of YAML.
bool is_quoted(std::string_view text) {
  return text.size() > 2 && text.front() == text.back() && (text.front() == '"' || text.front() == '\'');
}

}  // namespace

Unseen unseen_in(std::string_view text) {
  Unseen out;
  bool known = true;
  const bool one_word = text.find(' ') == text.npos, quoted = is_quoted(text);
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = decode_utf8(text, i);
    const bool at_end = i == 0 || i + c.length == text.size();
    const bool foreign = (is_cyrillic(c.value) || is_greek(c.value)) && is_mixed(text, i);
    const bool space = is_white(c.value) && c.value != ' ';
    const bool other = is_full_width(c.value) || (one_word && is_dash(c.value)) ||
                       (at_end && (c.value == ' ' || is_curly_quote(c.value) || quoted));
    if (!c.valid || !(foreign || space || other || is_invisible(c.value))) {
      out.shown += text.substr(i, c.length);
      out.meant += text.substr(i, c.length);
    } else {
      if (out.what.empty()) out.what = words_for(c.value);
      out.shown += fmt::format("<U+{:04X}>", static_cast<std::uint32_t>(c.value));
      if (const char like = look_alike(c.value); like != '\0') out.meant += like;
      else if (foreign) known = false;
      else if (space && !at_end) out.meant += ' ';
    }
    i += c.length;
  }
  if (!known) out.meant.clear();
  return out;
}

}  // namespace apf
