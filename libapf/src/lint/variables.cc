#include "lint/variables.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "base/utf8.h"
#include "config/codes.h"
#include "config/yaml_text.h"
#include "lint/template_marks.h"

namespace apf {

namespace {

// Where each line of a text begins.
std::vector<std::size_t> line_begins(std::string_view text) {
  std::vector<std::size_t> out = {0};
  for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) out.push_back(at + 1);
  return out;
}

class SpanTexts {
 public:
  explicit SpanTexts(std::span<const ConfigText> texts) {
    for (const ConfigText& text : texts) texts_.emplace(text.name, &text.text);
  }

  // Where it begins in its text.
  std::size_t begin_of(const Span& span) {
    const std::string_view found = of(span);
    return found.data() ? static_cast<std::size_t>(found.data() - texts_.find(span.file)->second->data()) : 0;
  }

  std::string_view of(const Span& span) {
    const auto text = texts_.find(span.file);
    if (text == texts_.end() || !span.known()) return {};
    const auto added = lines_.try_emplace(span.file);
    const auto& lines = added.first;
    if (added.second) lines->second = line_begins(*text->second);
    const auto offset = [&](int line, int column) {
      const auto number = static_cast<std::size_t>(line) - 1;
      const std::size_t begin = number < lines->second.size() ? lines->second[number] : text->second->size();
      return std::min(begin + static_cast<std::size_t>(column) - 1, text->second->size());
    };
    const std::size_t begin = offset(span.line, span.column);
    const std::size_t end = std::max(begin, offset(span.end_line, span.end_column));
    return std::string_view(*text->second).substr(begin, end - begin);
  }

 private:
  std::map<std::string, const std::string*, std::less<>> texts_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> lines_;
};

}  // namespace

void name_variables(std::span<const ConfigText> texts, std::vector<Diagnostic>& findings) {
  SpanTexts spans(texts);
  for (Diagnostic& d : findings) {
    if (d.severity != Severity::error || d.kind.empty()) continue;
    const std::string_view variable = variable_in(spans.of(d.span));
    if (variable.empty()) continue;
    d.severity = Severity::info;
    d.message = fmt::format("{}{}{} is a variable: this object is checked once it has a value", d.field,
                            d.field.empty() ? "" : ": ", variable);
    d.notes = {{"fill variables in first: flux envsubst or envsubst <FILE | apfctl lint -", {}}};
    d.fix.reset();
  }
  // The server says several things about one value.
  sort_diagnostics(findings);
}

void name_odd_indents(std::span<const ConfigText> texts, std::vector<Diagnostic>& findings) {
  SpanTexts spans(texts);
  for (Diagnostic& d : findings) {
    if (d.code != kUnknownField.code) continue;
    const std::string_view key = spans.of(d.span);
    const std::string odd = odd_blank(key, 0);
    if (odd.empty()) continue;
    d.notes = {
        {odd + " stands in the indentation of this line, and YAML takes it for a part of the key: write blanks", {}}};
    const std::size_t begin = spans.begin_of(d.span);
    Fix fix{"write blanks for it", false, {}};
    for (std::size_t at = 0; at < key.size() && (key[at] == ' ' || !odd_blank(key, at).empty());) {
      const std::size_t length = decode_utf8(key, at).length;
      if (length > 1) fix.edits.push_back({d.span.file, begin + at, begin + at + length, " "});
      at += length;
    }
    d.fix = std::move(fix);
  }
}

}  // namespace apf
