// Text from logs and configurations made safe for a terminal.

#include <apf/report.h>
#include <fmt/format.h>

#include "base/utf8.h"

namespace apf {

namespace {

// Acts on a terminal or on the order of what is shown, instead of showing something.
bool invisible(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD || c == 0x61C || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) ||
         (c >= 0xE0000 && c <= 0xE0FFF);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = decode_utf8(text, at);
    if (!c.valid) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
    } else if (c.value == '\n' || c.value == '\r' || c.value == '\t') {
      out += c.value == '\n' ? "\\n" : c.value == '\r' ? "\\r" : "\\t";
    } else if (invisible(c.value)) {
      const auto value = static_cast<std::uint32_t>(c.value);
      out += value < 0x80     ? fmt::format("\\x{:02x}", value)
             : value > 0xFFFF ? fmt::format("\\U{:08x}", value)
                              : fmt::format("\\u{:04x}", value);
    } else {
      out += text.substr(at, c.length);
    }
    at += c.length;
  }
  return out;
}

}  // namespace apf
