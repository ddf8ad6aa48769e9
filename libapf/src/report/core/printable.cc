// Text from logs and configurations made safe for a terminal.

#include <apf/report_words.h>
#include <fmt/core.h>

#include "base/utf8.h"

namespace apf {

namespace {

// Where the first byte is that is not of printable ASCII, which most text is all of.
std::size_t plain_until(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] >= ' ' && text[at] <= '~') ++at;
  return at;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0;;) {
    const std::size_t plain = plain_until(text, at);
    out += text.substr(at, plain - at);
    at = plain;
    if (at == text.size()) return out;
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
}

}  // namespace apf
