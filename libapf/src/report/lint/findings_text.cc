// Findings with their places in the source, as compilers show them.
#include <apf/findings_report.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

#include "report/core/findings_words.h"
#include "report/core/units.h"

namespace apf {

namespace {

constexpr std::size_t kShownBytes = 120;

const char* color_of(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "\x1b[1;36m";
    case Severity::warning:
      return "\x1b[1;33m";
    case Severity::error:
      return "\x1b[1;31m";
  }
  return "";
}

// Lines of texts by number; each text is cut once, however many findings it has.
class Lines {
 public:
  explicit Lines(std::span<const ConfigText> texts) {
    for (const ConfigText& text : texts) by_name_.emplace(text.name, &text);
  }

  // Empty if there is no such line.
  std::string_view line(const std::string& file, int number) {
    const auto found = by_name_.find(file);
    if (found == by_name_.end()) return {};
    const ConfigText* const text = found->second;
    const auto [starts, fresh] = starts_.try_emplace(text);
    if (fresh) {
      starts->second.push_back(0);
      for (std::size_t at = text->text.find('\n'); at != std::string::npos; at = text->text.find('\n', at + 1))
        starts->second.push_back(at + 1);
    }
    if (number < 1 || static_cast<std::size_t>(number) > starts->second.size()) return {};
    const auto start = starts->second.begin() + (number - 1);
    const std::size_t end = start + 1 == starts->second.end() ? text->text.size() : *(start + 1) - 1;
    std::string_view line = std::string_view(text->text).substr(*start, end - *start);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

 private:
  std::unordered_map<std::string_view, const ConfigText*> by_name_;
  std::map<const ConfigText*, std::vector<std::size_t>> starts_;
};

std::size_t columns(std::string_view printable_text) {
  return static_cast<std::size_t>(std::count_if(printable_text.begin(), printable_text.end(),
                                                [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Tabs as blanks, everything else that a terminal would act on made visible.
std::string shown(std::string_view bytes) {
  std::string plain(bytes);
  std::replace(plain.begin(), plain.end(), '\t', ' ');
  return printable(plain);
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The source line and, below it, what the span covers; long lines are cut around the span.
std::string excerpt(const Span& span, Lines& lines) {
  if (!span.known()) return {};
  std::string_view line = lines.line(span.file, span.line);
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

bool same_place(const Span& a, const Span& b) { return a.file == b.file && a.line == b.line && a.column == b.column; }

std::string traffic_line(const Traffic& traffic, std::string_view kind) {
  std::string out = "  traffic: " + grouped(traffic.requests) + " of " + grouped(traffic.of) + " requests ";
  if (kind == "Policy") return out + "are decided by this rule\n";
  if (kind != "FlowSchema") return out + "come to this level\n";
  if (traffic.requests == 0) return out + "match this\n";
  return out + "match this, " + grouped(traffic.taken) + " of them are taken by the FlowSchema\n";
}

std::string position(const Span& span) {
  if (span.file.empty()) return {};
  std::string out = printable(span.file);
  if (span.known()) out += ":" + std::to_string(span.line) + ":" + std::to_string(span.column);
  return out + ": ";
}

}  // namespace

std::string render_text(const std::vector<Diagnostic>& findings, std::span<const ConfigText> texts,
                        const TextStyle& style, const FindingsTraffic& traffic) {
  const char* bold = style.color ? "\x1b[1m" : "";
  const char* plain = style.color ? "\x1b[0m" : "";
  Lines lines(texts);
  std::string out;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Diagnostic& d = findings[i];
    out += bold + position(d.span) + plain;
    out += (style.color ? color_of(d.severity) : "") + std::string(to_string(d.severity)) + ": " + plain;
    out += message_line(d);
    if (!d.code.empty()) out += " [" + d.code + (d.name.empty() ? "" : " " + d.name) + "]";
    out += "\n" + excerpt(d.span, lines);
    for (const Note& note : d.notes) {
      const bool shown_above = same_place(note.span, d.span);
      out += "  " + (shown_above ? "" : position(note.span)) + "note: " + printable(note.message) + "\n";
      if (!shown_above) out += excerpt(note.span, lines);
    }
    if (!d.witness.empty()) out += "  shown by: " + printable(d.witness) + "\n";
    if (i < traffic.size() && traffic[i]) out += traffic_line(*traffic[i], d.kind);
    if (d.fix) out += "  fix" + std::string(d.fix->safe ? "" : " (unsafe)") + ": " + printable(d.fix->title) + "\n";
  }
  return out;
}

}  // namespace apf
