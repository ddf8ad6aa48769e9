// UTF-8 one code point at a time: reading it, for those who must not trust it, and writing it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace apf {

struct CodePoint {
  char32_t value = 0;
  std::size_t length = 1;  // bytes; 1 for a byte that begins no valid sequence
  bool valid = false;      // shortest form, no surrogate, at most U+10FFFF
};

// The code point that begins at text[at]; at < text.size().
CodePoint decode_utf8(std::string_view text, std::size_t at);

// Acts on a terminal or on the order of what is shown, instead of showing something.
bool is_invisible(char32_t c);

// A blank beyond ASCII, such as U+00A0 and U+3000: YAML takes it for text.
constexpr bool is_wide_blank(char32_t c) {
  return c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x202f || c == 0x205f || c == 0x3000;
}

// Offset of the first byte that is not valid UTF-8, text.size() if there is none.
std::size_t find_invalid_utf8(std::string_view text);

// What is no code point is written in the same way.
inline char* append_utf8(char* to, std::uint32_t c) {
  if (c < 0x80) {
    *to++ = static_cast<char>(c);
  } else if (c < 0x800) {
    *to++ = static_cast<char>(0xC0 | c >> 6);
    *to++ = static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    *to++ = static_cast<char>(0xE0 | c >> 12);
    *to++ = static_cast<char>(0x80 | (c >> 6 & 0x3F));
    *to++ = static_cast<char>(0x80 | (c & 0x3F));
  } else {
    *to++ = static_cast<char>(0xF0 | c >> 18);
    *to++ = static_cast<char>(0x80 | (c >> 12 & 0x3F));
    *to++ = static_cast<char>(0x80 | (c >> 6 & 0x3F));
    *to++ = static_cast<char>(0x80 | (c & 0x3F));
  }
  return to;
}

inline void append_utf8(std::string& out, std::uint32_t c) {
  char bytes[4];
  out.append(bytes, append_utf8(bytes, c));
}

}  // namespace apf
