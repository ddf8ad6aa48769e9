// Text from logs and configurations made safe for a terminal.

#include <apf/report.h>
#include <fmt/core.h>

#include "base/utf8.h"

namespace apf {

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = decode_utf8(text, at);
    if (!c.valid) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
    } else if (c.value == '\n' || c.value == '\r' || c.value == '\t') {
      out += c.value == '\n' ? "\\n" : c.value == '\r' ? "\\r" : "\\t";
    } else if (is_invisible(c.value)) {
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
