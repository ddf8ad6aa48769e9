// Fingerprints of findings, and the file that holds those that are known.
#include "lint/baseline.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/core.h>

#include <apf/error.h>
#include <apf/output.h>

#include "base/json_value.h"
#include "base/sha256.h"
#include "base/sort_stably.h"
#include "base/text.h"

namespace apf {

namespace {

constexpr std::int64_t kFormat = 1;
constexpr std::size_t kFingerprintDigits = 32;

std::string digest(std::string_view text) { return hexadecimal(sha256(text)).substr(0, kFingerprintDigits); }

// "spec.rules[2].subjects[0]" -> "spec.rules[].subjects[]": an entry that moves in its list stays what it is.
std::string without_indices(std::string_view field) {
  std::string out;
  for (std::size_t i = 0; i < field.size(); ++i) {
    out += field[i];
    if (field[i] != '[') continue;
    const std::size_t end = field.find_first_not_of("0123456789", i + 1);
    if (end != std::string_view::npos && field[end] == ']') i = end - 1;
  }
  return out;
}

constexpr std::size_t kLongLine = 4096;

// Lines of one text after another, each text cut once.
class LineTexts {
 public:
  explicit LineTexts(std::span<const ConfigText> texts) {
    for (const ConfigText& text : texts) texts_.emplace(text.name, Cut{&text.text, {}});
  }

  std::string_view line(const Span& span) {
    const auto at = texts_.find(span.file);
    if (at == texts_.end() || !span.known()) return {};
    Cut& cut = at->second;
    if (cut.starts.empty()) {
      cut.starts.push_back(0);
      for (std::size_t i = cut.text->find('\n'); i != std::string::npos; i = cut.text->find('\n', i + 1))
        cut.starts.push_back(i + 1);
    }
    const auto number = static_cast<std::size_t>(span.line);
    if (number > cut.starts.size()) return {};
    const std::size_t end = number < cut.starts.size() ? cut.starts[number] - 1 : cut.text->size();
    const std::string_view whole =
        std::string_view(*cut.text).substr(cut.starts[number - 1], end - cut.starts[number - 1]);
    if (whole.size() <= kLongLine) return trimmed(whole);
    // As JSON on one line: what the finding points at replaces the line.
    const std::size_t from = std::min(static_cast<std::size_t>(std::max(span.column, 1)) - 1, whole.size());
    const bool ends_here = span.end_line == span.line && span.end_column > span.column;
    const std::size_t length = ends_here ? static_cast<std::size_t>(span.end_column - span.column) : kLongLine;
    return trimmed(whole.substr(from, std::min(length, kLongLine)));
  }

 private:
  struct Cut {
    const std::string* text;
    std::vector<std::size_t> starts;
  };
  std::map<std::string_view, Cut> texts_;
};

std::string text_member(const JsonValue& entry, std::string_view key) {
  const std::optional<JsonValue> value = entry.get(key);
  return std::string(value ? value->text().value_or("") : "");
}

}  // namespace

std::vector<std::string> fingerprints(std::span<const Diagnostic> findings, std::span<const ConfigText> texts) {
  LineTexts lines(texts);
  std::map<std::pair<std::string_view, std::string>, int> seen;
  std::vector<std::string> out;
  for (const Diagnostic& d : findings) {
    std::string subject;
    for (const std::string_view part :
         {std::string_view(d.code), std::string_view(d.kind), std::string_view(d.object_name)}) {
      subject += part;
      subject += '\0';
    }
    subject += without_indices(d.field);
    subject += '\0';
    subject += lines.line(d.span);
    std::string hash = digest(subject);
    const int number = ++seen[{d.span.file, hash}];
    out.push_back(hash + ":" + std::to_string(number));
  }
  return out;
}

std::string render_baseline(std::span<const BaselineEntry> entries) {
  std::vector<const BaselineEntry*> sorted;
  for (const BaselineEntry& entry : entries) sorted.push_back(&entry);
  sort_stably(sorted, [](const BaselineEntry* a, const BaselineEntry* b) { return a->file < b->file; });
  std::string out = fmt::format("{{\"apfctlBaseline\":{},\"findings\":[", kFormat);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const BaselineEntry& e = *sorted[i];
    JsonWriter json;
    json.begin_object().field("file", e.file).field("code", e.code).field("object", e.object);
    json.field("message", e.message).field("fingerprint", e.fingerprint).end_object();
    out += (i ? ",\n" : "\n") + json.take();
  }
  return out + "\n]}\n";
}

std::vector<BaselineEntry> parse_baseline(std::string_view text, const std::string& name) {
  const auto refuse = [&](std::string_view why) {
    throw Error(fmt::format("{} isn't a baseline: {}; write one with --write-baseline", name, why));
  };
  const JsonDocument document(text);
  if (document.error()) refuse(document.error());
  const std::optional<JsonValue> written = document.root().get("apfctlBaseline"),
                                 list = document.root().get("findings");
  const std::optional<std::int64_t> format = written ? written->whole() : std::nullopt;
  if (!format) refuse("the member apfctlBaseline is missing");
  if (*format != kFormat) refuse(fmt::format("its format is {}, this release reads {}", *format, kFormat));
  const std::optional<std::vector<JsonValue>> findings = list ? list->elements() : std::nullopt;
  if (!findings) refuse("the list findings is missing");
  std::vector<BaselineEntry> entries;
  for (const JsonValue& entry : *findings) {
    BaselineEntry& e = entries.emplace_back();
    e.file = text_member(entry, "file");
    e.fingerprint = text_member(entry, "fingerprint");
    e.code = text_member(entry, "code");
    e.object = text_member(entry, "object");
    e.message = text_member(entry, "message");
    if (e.file.empty() || e.fingerprint.empty())
      refuse(fmt::format("entry {} has no file or no fingerprint", entries.size()));
  }
  return entries;
}

}  // namespace apf
