#include "report/logs/left_out.h"

#include <apf/logs_report.h>
#include <fmt/core.h>

#include "base/unusable.h"
#include "report/core/units.h"

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

std::uint64_t unusable_lines(const std::map<std::string, std::uint64_t>& unusable) {
  std::uint64_t out = 0;
  for (const auto& [reason, lines] : unusable) out += lines;
  return out;
}

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

void write_counts(JsonWriter& json, const char* key, const std::map<std::string, std::uint64_t>& counts) {
  json.key(key).begin_object();
  for (const auto& [what, count] : counts) json.field(what, count);
  json.end_object();
}

bool are_too_many(std::uint64_t unusable, std::uint64_t lines) { return is_more_than_a_tenth(unusable, lines); }

bool has_too_many_unusable_lines(const LogReport& report) {
  return are_too_many(unusable_lines(report.unusable), report.lines);
}

std::string unusable_sentence(const LogReport& report) {
  const std::uint64_t unusable = unusable_lines(report.unusable);
  if (unusable == 0) return {};
  std::string reasons;
  for (const auto& [reason, lines] : report.unusable)
    reasons += (reasons.empty() ? "" : ", ") + grouped(lines) + " " + reason;
  return fmt::format("{} of {} cannot be used: {}.", grouped(unusable), counted(report.lines, "line", "lines"),
                     reasons);
}

std::string why_unusable_decide(const std::map<std::string, std::uint64_t>& unusable, std::uint64_t lines) {
  const std::uint64_t count = unusable_lines(unusable);
  return fmt::format("{} of {} cannot be used, which could change that; use --allow-empty to leave {} out",
                     grouped(count), counted(lines, "line", "lines"), count == 1 ? "it" : "them");
}

}  // namespace apf
