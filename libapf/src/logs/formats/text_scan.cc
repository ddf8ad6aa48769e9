#include "logs/formats/text_scan.h"

#include <algorithm>
#include <cstring>

namespace apf {

std::uint64_t count_newlines(const char* text, std::size_t size) {
  // Sixteen bytes at a time in two sums; a byte's counter holds up to 255.
  typedef char Text __attribute__((vector_size(16)));
  typedef unsigned char Bytes __attribute__((vector_size(16)));
  std::uint64_t count = 0;
  std::size_t i = 0;
  while (size - i >= 32) {
    const std::size_t blocks = std::min<std::size_t>((size - i) / 32, 255);
    Bytes even = {}, odd = {};
    for (std::size_t b = 0; b < blocks; ++b, i += 32) {
      Text first, second;
      std::memcpy(&first, text + i, 16);
      std::memcpy(&second, text + i + 16, 16);
      even -= reinterpret_cast<Bytes>(first == '\n');  // true is all ones
      odd -= reinterpret_cast<Bytes>(second == '\n');
    }
    for (int k = 0; k < 16; ++k) count += static_cast<unsigned>(even[k]) + odd[k];
  }
  for (; i < size; ++i) count += text[i] == '\n';
  return count;
}

template <bool kAll>
std::size_t DocumentScanner::scan(std::string_view text) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
        continue;
      } else if (c == '"') {
        in_string_ = false;
        last_ = c;
      }
      if (c == '\n') in_string_ = false;  // no string crosses a line: the text is broken, go on after it
      continue;
    }
    switch (c) {
      case ' ':
      case '\t':
      case '\r':
      case '\n':
        continue;
      case '"':
        in_string_ = depth_ > 0;
        break;
      case '{':
        // Right after a value no object can begin: what came before was cut off.
        if (depth_ > 0 && last_ != '[' && last_ != ',' && last_ != ':') {
          depth_ = 0;
          end = i;
          if (!kAll && i > 0) return i;
        }
        [[fallthrough]];
      case '[':
        if (depth_ < 64) {
          const std::uint64_t bit = std::uint64_t{1} << depth_;
          kinds_ = c == '{' ? kinds_ | bit : kinds_ & ~bit;
        }
        ++depth_;
        break;
      case '}':
      case ']':
        if (depth_ > 0 && --depth_ == 0) {
          last_ = c;
          end = i + 1;
          if (!kAll) return end;
          continue;
        }
        break;
      default:
        break;
    }
    last_ = c;
  }
  return kAll ? end : std::string_view::npos;
}

std::size_t DocumentScanner::scan_all(std::string_view text) { return scan<true>(text); }
std::size_t DocumentScanner::scan_one(std::string_view text) { return scan<false>(text); }

}  // namespace apf
