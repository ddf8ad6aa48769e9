#include "lsp/findings.h"

#include <algorithm>

#include <fmt/core.h>

#include "config/schema.h"
#include "lint/docs_uri.h"
#include "lsp/messages.h"

namespace apf {

namespace {

// The rule's page where the manual is published, else its place in the installed one.
std::string href_of(const std::string& code) {
  const std::string page = rule_page_uri(docs_url(), code);
  return page.empty() ? fmt::format("man:apfctl-rules(7)#{}", code) : page;
}

bool is_unnecessary(const Diagnostic& d) {
  // At a level it is the level that is wrong.
  if (d.name == "distinguisher-ignored" && d.kind != kFlowSchemaKind) return false;
  return std::find(std::begin(kUnnecessaryRules), std::end(kUnnecessaryRules), d.name) != std::end(kUnnecessaryRules);
}

constexpr int kErrorSeverity = 1, kWarningSeverity = 2, kInformation = 3, kUnnecessaryTag = 1;

int severity_number(Severity severity) {
  return severity == Severity::error ? kErrorSeverity : severity == Severity::warning ? kWarningSeverity : kInformation;
}

std::string message_of(const Diagnostic& d) {
  std::string out = d.message;
  for (const Note& note : d.notes) {
    if (!note.span.known()) out += "\n" + note.message;
  }
  if (!d.witness.empty()) out += "\nShown by: " + d.witness;
  return out;
}

}  // namespace

void write_diagnostic(JsonWriter& json, const Diagnostic& d, const std::string& path, Lines& lines) {
  json.begin_object().key("range");
  lines.of(path).write(json, lines.of(path).range_of(d.span));
  json.field("severity", severity_number(d.severity));
  if (!d.code.empty()) {
    json.field("code", d.code).key("codeDescription").begin_object();
    json.field("href", href_of(d.code)).end_object();
  }
  json.field("source", "apfctl").field("message", message_of(d));
  if (is_unnecessary(d)) json.key("tags").begin_array().value(kUnnecessaryTag).end_array();
  if (std::any_of(d.notes.begin(), d.notes.end(), [](const Note& note) { return note.span.known(); })) {
    json.key("relatedInformation").begin_array();
    for (const Note& note : d.notes) {
      if (!note.span.known()) continue;
      json.begin_object().key("location");
      lines.write_location(json, note.span.file, lines.of(note.span.file).range_of(note.span));
      json.field("message", note.message).end_object();
    }
    json.end_array();
  }
  json.end_object();
}

std::string render_diagnostics(const Folder& folder, const std::string& path, Lines& lines) {
  JsonWriter json;
  json.begin_array();
  for (const Diagnostic& d : folder.findings(path)) write_diagnostic(json, d, path, lines);
  json.end_array();
  return json.take();
}

TextPosition position_in(const JsonValue& position) {
  const auto number = [&](const char* key) {
    const std::optional<JsonValue> value = position.get(key);
    return static_cast<std::size_t>(std::min<std::uint64_t>(value ? value->natural().value_or(0) : 0, UINT32_MAX));
  };
  return {number("line"), number("character")};
}

TextRange range_in(const JsonValue& range, const LineTable& lines) {
  const std::optional<JsonValue> start = range.get("start"), end = range.get("end");
  const std::size_t begin = start ? lines.offset_of(position_in(*start)) : 0;
  return {begin, std::max(begin, end ? lines.offset_of(position_in(*end)) : begin)};
}

void write_edits(JsonWriter& json, const std::vector<Edit>& edits, const Folder& folder, Lines& lines) {
  std::map<std::string, std::vector<const Edit*>> by_file;
  for (const Edit& edit : edits) {
    if (folder.find(edit.file)) by_file[edit.file].push_back(&edit);
  }
  json.begin_object().key("changes").begin_object();
  for (const auto& [file, of_file] : by_file) {
    json.key(folder.uris.of(file)).begin_array();
    for (const Edit* edit : of_file) {
      json.begin_object().key("range");
      lines.of(file).write(json, {edit->begin, edit->end});
      json.field("newText", edit->text).end_object();
    }
    json.end_array();
  }
  json.end_object().end_object();
}

}  // namespace apf
