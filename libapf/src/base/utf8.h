// Reading UTF-8 one code point at a time, for those who must not trust it.
#pragma once

#include <cstddef>
#include <cstdint>
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

// Offset of the first byte that is not valid UTF-8, text.size() if there is none.
std::size_t find_invalid_utf8(std::string_view text);

}  // namespace apf
