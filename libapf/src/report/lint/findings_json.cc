// Findings as one JSON document.
#include <apf/findings_report.h>

#include <algorithm>

#include <apf/output.h>

#include "config/codes.h"
#include "report/core/findings_words.h"

namespace apf {

namespace {

void write_text(JsonWriter& json, const char* key, const std::string& text) {
  json.key(key);
  if (text.empty()) json.null();
  else json.value(text);
}

void write_span(JsonWriter& json, const Span& span) {
  write_text(json, "file", span.file);
  const auto number = [&](const char* key, int value) {
    json.key(key);
    if (span.known()) json.value(value);
    else json.null();
  };
  number("line", span.line);
  number("column", span.column);
  number("endLine", span.end_line);
  number("endColumn", span.end_column);
}

void write_note(JsonWriter& json, const Note& note) {
  json.begin_object().field("message", note.message);
  write_span(json, note.span);
  json.end_object();
}

void write_fix(JsonWriter& json, const std::optional<Fix>& fix) {
  json.key("fix");
  if (!fix) {
    json.null();
    return;
  }
  json.begin_object().field("title", fix->title).field("safe", fix->safe).key("edits").begin_array();
  for (const Edit& edit : fix->edits) {
    json.begin_object().field("file", edit.file).field("begin", static_cast<std::uint64_t>(edit.begin));
    json.field("end", static_cast<std::uint64_t>(edit.end)).field("text", edit.text).end_object();
  }
  json.end_array().end_object();
}

// An object that does not decode has no field error: there the server's words are the detail, and the message is ours.
bool is_decode_error(const Diagnostic& d) {
  return d.severity == Severity::error && d.type.empty() && !d.detail.empty() && is_decode_code(d.code);
}

void write_traffic(JsonWriter& json, const std::optional<Traffic>& traffic) {
  json.key("traffic");
  if (!traffic) {
    json.null();
    return;
  }
  json.begin_object()
      .field("requests", traffic->requests)
      .field("taken", traffic->taken)
      .field("of", traffic->of)
      .end_object();
}

// `traffic`: null without a log.
void write_finding(JsonWriter& json, const Diagnostic& d, const std::optional<Traffic>* traffic) {
  const bool decode_error = is_decode_error(d);
  json.begin_object().field("code", d.code).field("name", d.name).field("severity", to_string(d.severity));
  write_span(json, d.span);
  json.field("document", d.document).key("object").begin_object();
  json.field("apiVersion", d.api_version).field("kind", d.kind).field("name", d.object_name).end_object();
  json.field("field", d.field).field("type", d.type).field("detail", d.detail);
  json.field("message", decode_error ? d.detail : d.message).key("notes").begin_array();
  if (decode_error && d.message != d.detail) write_note(json, {d.message, d.span});
  for (const Note& note : d.notes) write_note(json, note);
  json.end_array();
  write_text(json, "witness", d.witness);
  write_fix(json, d.fix);
  if (traffic) write_traffic(json, *traffic);
  json.end_object();
}

}  // namespace

std::string render_json(const std::vector<Diagnostic>& findings, const FindingsSummary& summary,
                        const FindingsTraffic& traffic) {
  const auto count = [&](Severity severity) {
    return static_cast<std::uint64_t>(
        std::count_if(findings.begin(), findings.end(), [&](const Diagnostic& d) { return d.severity == severity; }));
  };
  JsonWriter json;
  json.begin_object().key("findings").begin_array();
  for (std::size_t i = 0; i < findings.size(); ++i)
    write_finding(json, findings[i], i < traffic.size() ? &traffic[i] : nullptr);
  json.end_array().key("summary").begin_object();
  json.field("files", static_cast<std::uint64_t>(summary.files))
      .field("objects", static_cast<std::uint64_t>(summary.objects));
  json.field("skipped", static_cast<std::uint64_t>(summary.skipped)).field("errors", count(Severity::error));
  json.field("warnings", count(Severity::warning)).field("infos", count(Severity::info));
  json.field("suppressed", static_cast<std::uint64_t>(summary.suppressed)).end_object();
  if (!summary.remarks.empty()) write_remarks(json, "remarks", summary.remarks);
  json.end_object();
  return json.take();
}

}  // namespace apf
