#include "report/left_out.h"

#include <fmt/core.h>

namespace apf {

namespace {

// Its beginning, if there is anything to see.
std::string beginning_of(const std::string& text) {
  constexpr std::size_t kMost = 48;
  std::size_t size = std::min(text.size(), kMost);
  while (size > 0 && size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  if (text.find_first_not_of(" \t") == std::string::npos) return {};
  return ": " + text.substr(0, size) + (size < text.size() ? "…" : "");
}

}  // namespace

std::vector<std::string> bad_line_sentences(const std::vector<BadLines>& logs) {
  std::vector<std::string> out;
  for (const BadLines& log : logs) {
    for (const BadLines::Line& line : log.first)
      out.push_back(printable(fmt::format("{}:{}: {}{}", log.log, line.number, line.why, beginning_of(line.text))));
    if (log.lines > log.first.size())
      out.push_back(printable(fmt::format("{}: {} more", log.log, grouped(log.lines - log.first.size()))));
  }
  return out;
}

void write_bad_lines(JsonWriter& json, const std::vector<BadLines>& logs) {
  if (logs.empty()) return;
  json.key("badLines").begin_array();
  for (const BadLines& log : logs) {
    json.begin_object().field("log", log.log).field("lines", log.lines).key("first").begin_array();
    for (const BadLines::Line& line : log.first)
      json.begin_object()
          .field("line", line.number)
          .field("why", line.why)
          .field("text", printable(line.text))
          .end_object();
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace apf
