#include "diagnostics.h"

#include <algorithm>
#include <string_view>

#include <apf/report.h>

namespace apfctl {

namespace {

constexpr std::size_t kShownBytes = 120;

const char* label(apf::Severity severity) {
  switch (severity) {
    case apf::Severity::info:
      return "info";
    case apf::Severity::warning:
      return "warning";
    case apf::Severity::error:
      return "error";
  }
  return "error";
}

const char* color_of(apf::Severity severity) {
  switch (severity) {
    case apf::Severity::info:
      return "\x1b[1;36m";
    case apf::Severity::warning:
      return "\x1b[1;33m";
    case apf::Severity::error:
      return "\x1b[1;31m";
  }
  return "";
}

std::string_view line_of(std::string_view text, int number) {
  for (int n = 1; n < number; ++n) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

std::size_t columns(std::string_view printable_text) {
  return static_cast<std::size_t>(std::count_if(printable_text.begin(), printable_text.end(),
                                                [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Tabs as blanks, everything else that a terminal would act on made visible.
std::string shown(std::string_view bytes) {
  std::string plain(bytes);
  std::replace(plain.begin(), plain.end(), '\t', ' ');
  return apf::printable(plain);
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The source line and, below it, what the span covers; long lines are cut around the span.
std::string excerpt(const apf::Span& span, std::span<const apf::ConfigText> texts) {
  const auto text =
      std::find_if(texts.begin(), texts.end(), [&](const apf::ConfigText& t) { return t.name == span.file; });
  if (!span.known() || text == texts.end()) return {};
  std::string_view line = line_of(text->text, span.line);
  std::size_t begin = std::min(static_cast<std::size_t>(std::max(span.column, 1) - 1), line.size());
  std::size_t end = span.end_line == span.line && span.end_column > span.column
                        ? static_cast<std::size_t>(span.end_column - 1)
                        : begin + 1;
  end = std::min(end, line.size());
  if (line.find_first_not_of(" \t") == std::string_view::npos) return {};
  std::string before_mark, after_mark;
  if (line.size() > kShownBytes) {
    std::size_t from = begin > kShownBytes / 2 ? begin - kShownBytes / 2 : 0;
    while (from > 0 && continues_character(line[from])) --from;
    std::size_t to = std::min(line.size(), from + kShownBytes);
    while (to < line.size() && continues_character(line[to])) ++to;
    if (from > 0) before_mark = "…";
    if (to < line.size()) after_mark = "…";
    line = line.substr(from, to - from);
    begin -= from;
    end = std::min(end - from, line.size());
  }
  const std::string before = before_mark + shown(line.substr(0, begin));
  const std::string marked = end > begin ? shown(line.substr(begin, end - begin)) : "";
  const std::string after = shown(line.substr(std::max(begin, end))) + after_mark;
  std::string out = "    " + before + marked + after + "\n    " + std::string(columns(before), ' ') + "^";
  if (columns(marked) > 1) out += std::string(columns(marked) - 1, '~');
  return out + "\n";
}

std::string position(const apf::Span& span) {
  if (span.file.empty()) return {};
  std::string out = apf::printable(span.file);
  if (span.known()) out += ":" + std::to_string(span.line) + ":" + std::to_string(span.column);
  return out + ": ";
}

}  // namespace

std::string render_diagnostics(const std::vector<apf::Diagnostic>& diagnostics, std::span<const apf::ConfigText> texts,
                               bool color) {
  const char* bold = color ? "\x1b[1m" : "";
  const char* plain = color ? "\x1b[0m" : "";
  std::string out;
  for (const apf::Diagnostic& d : diagnostics) {
    out += bold + position(d.span) + plain;
    out += (color ? color_of(d.severity) : "") + std::string(label(d.severity)) + ": " + plain;
    if (!d.kind.empty() && !d.object_name.empty()) out += apf::printable(d.kind + "/" + d.object_name) + ": ";
    out += apf::printable(d.message);
    if (!d.code.empty()) out += " [" + d.code + (d.name.empty() ? "" : " " + d.name) + "]";
    out += "\n" + excerpt(d.span, texts);
    for (const apf::Note& note : d.notes) {
      out += "  " + position(note.span) + "note: " + apf::printable(note.message) + "\n" + excerpt(note.span, texts);
    }
  }
  return out;
}

}  // namespace apfctl
