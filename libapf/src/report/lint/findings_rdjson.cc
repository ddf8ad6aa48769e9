// Findings in the Reviewdog Diagnostic Format, from which reviewdog makes comments on a change, with suggestions to
// click on. Its columns are bytes, and its ranges end before their end, as ours do.
#include <apf/findings_report.h>

#include <algorithm>

#include <apf/output.h>

#include "lint/docs_uri.h"
#include "report/core/findings_words.h"

namespace apf {

namespace {

const char* rdjson_severity(Severity severity) {
  return severity == Severity::error ? "ERROR" : severity == Severity::warning ? "WARNING" : "INFO";
}

void write_position(JsonWriter& json, const char* key, std::int64_t line, std::int64_t column) {
  json.key(key).begin_object().field("line", line).field("column", column).end_object();
}

void write_offset(JsonWriter& json, const char* key, std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t newline = before.rfind('\n');
  write_position(json, key, 1 + std::count(before.begin(), before.end(), '\n'),
                 static_cast<std::int64_t>(newline == before.npos ? before.size() + 1 : before.size() - newline));
}

// One edit of the file itself that changes nothing for any request: several could be taken apart.
void write_suggestion(JsonWriter& json, const Diagnostic& d, std::span<const ConfigText> texts) {
  if (!d.fix || !d.fix->safe || d.fix->edits.size() != 1) return;
  const Edit& edit = d.fix->edits.front();
  const auto of = std::find_if(texts.begin(), texts.end(), [&](const ConfigText& t) { return t.name == edit.file; });
  if (edit.file != d.span.file || of == texts.end()) return;
  json.key("suggestions").begin_array().begin_object().key("range").begin_object();
  write_offset(json, "start", of->text, edit.begin);
  write_offset(json, "end", of->text, edit.end);
  json.end_object().field("text", edit.text).end_object().end_array();
}

}  // namespace

std::string render_rdjson(const std::vector<Diagnostic>& findings, std::span<const ConfigText> texts) {
  JsonWriter json;
  json.begin_object().key("source").begin_object().field("name", "apfctl").end_object();
  json.key("diagnostics").begin_array();
  for (const Diagnostic& d : findings) {
    json.begin_object().field("message",
                              message_line(d) + (d.witness.empty() ? "" : "\nShown by: " + printable(d.witness)));
    json.key("location").begin_object().field("path", d.span.file);
    if (d.span.known()) {
      json.key("range").begin_object();
      write_position(json, "start", d.span.line, d.span.column);
      if (d.span.end_line >= d.span.line && d.span.end_column > 0)
        write_position(json, "end", d.span.end_line, d.span.end_column);
      json.end_object();
    }
    json.end_object().field("severity", rdjson_severity(d.severity));
    if (!d.code.empty()) {
      json.key("code").begin_object().field("value", rule_label(d));
      if (const std::string page = rule_page_uri(docs_url(), d.code); !page.empty()) json.field("url", page);
      json.end_object();
    }
    write_suggestion(json, d, texts);
    json.end_object();
  }
  json.end_array().end_object();
  return json.take();
}

}  // namespace apf
