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

// Agents of CI systems compare their commands' names without case.
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::size_t after_name(std::string_view text, std::size_t at) {
  while (at < text.size() && (is_letter(text[at]) || text[at] == '-')) ++at;
  return at;
}

// GitHub's, which some agents look for within lines, too. Others stand at a line's beginning only: IPv6 has "::".
bool is_workflow_command(std::string_view name) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(is_letter(c) ? c | 0x20 : c);
  for (const std::string_view known :
       {"add-mask", "add-matcher", "add-path", "debug", "echo", "endgroup", "error", "group", "notice",
        "remove-matcher", "save-state", "set-env", "set-output", "stop-commands", "warning"})
    if (lower == known) return true;
  return false;
}

bool begins_ci_command(std::string_view text, std::size_t at, bool at_line_begin) {
  const std::string_view two = text.substr(at, 2);
  if (two != "##" && two != "::") return false;
  const std::size_t end = after_name(text, at + 2);
  if (two == "##") return end < text.size() && text[end] == '[';
  const std::size_t close = text.find("::", end);
  return end > at + 2 && close != std::string_view::npos && close < text.find('\n', end) &&
         (at_line_begin || is_workflow_command(text.substr(at + 2, end - at - 2)));
}

}  // namespace

std::string without_ci_commands(std::string given) {
  if (given.find("##") == given.npos && given.find("::") == given.npos) return given;
  const std::string_view text = given;
  std::string out;
  bool at_line_begin = true;
  std::size_t kept = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (begins_ci_command(text, at, at_line_begin)) {
      out.append(text.substr(kept, at - kept)).append(text[at] == '#' ? "\\u0023" : "\\u003a");
      kept = at + 1;
    }
    // Spaces of other scripts are no ASCII, and are cut off by agents, too.
    const bool blank = text[at] == ' ' || text[at] == '\t' || static_cast<signed char>(text[at]) < 0;
    at_line_begin = text[at] == '\n' || text[at] == '\r' || (at_line_begin && blank);
  }
  return out.append(text.substr(kept));
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0;;) {
    const std::size_t plain = plain_until(text, at);
    out += text.substr(at, plain - at);
    at = plain;
    if (at == text.size()) return without_ci_commands(std::move(out));
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
