#include "base/go_quote.h"

#include <cstdint>

#include "base/utf8.h"

namespace apf {

namespace {

void append_hex(std::string& out, std::uint32_t value, int digits) {
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) out += "0123456789abcdef"[value >> shift & 15];
}

}  // namespace

bool is_go_printable(char32_t rune) {
  if (rune < 0x80) return rune >= 0x20 && rune != 0x7f;
  struct Range {
    char32_t first, last;
  };
  static constexpr Range kHidden[] = {
      {0x80, 0xa0},     {0xad, 0xad},     {0x600, 0x605},   {0x61c, 0x61c},   {0x6dd, 0x6dd},     {0x70f, 0x70f},
      {0x1680, 0x1680}, {0x180e, 0x180e}, {0x2000, 0x200f}, {0x2028, 0x202f}, {0x205f, 0x206f},   {0x3000, 0x3000},
      {0xd800, 0xf8ff}, {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe00ff}, {0xe01f0, 0x10ffff}};
  for (const Range& range : kHidden) {
    if (rune >= range.first && rune <= range.last) return false;
  }
  return true;
}

std::string go_quote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const char c = text[0];
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text.remove_prefix(1);
      constexpr std::string_view kNamed = "\a\b\f\n\r\t\v";
      if (const std::size_t named = kNamed.find(c); named != kNamed.npos) {
        out += '\\';
        out += "abfnrtv"[named];
      } else if (c == '"' || c == '\\') {
        out += '\\';
        out += c;
      } else if (byte < 0x20 || byte == 0x7f) {
        out += "\\x";
        append_hex(out, byte, 2);
      } else {
        out += c;
      }
      continue;
    }
    const CodePoint rune = decode_utf8(text, 0);
    if (!rune.valid) {
      out += "\\x";
      append_hex(out, byte, 2);
    } else if (is_go_printable(rune.value)) {
      out += text.substr(0, rune.length);
    } else {
      out += rune.value < 0x10000 ? "\\u" : "\\U";
      append_hex(out, rune.value, rune.value < 0x10000 ? 4 : 8);
    }
    text.remove_prefix(rune.length);
  }
  return out += '"';
}

}  // namespace apf
