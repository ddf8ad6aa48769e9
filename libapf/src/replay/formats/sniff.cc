#include "replay/formats/sniff.h"

#include <algorithm>

#include "replay/formats/line_prefix.h"
#include "replay/formats/text_scan.h"
#include "replay/formats/wrapped.h"

namespace apf {
namespace {

// Also behind what a container runtime or klog puts before it.
bool is_audit(std::string_view line, const JsonOutline& record) {
  if (record.is_json) return recognises_audit(record);
  const LinePrefix prefix = find_line_prefix(line);
  if (prefix.csv) return line.substr(prefix.size).starts_with("{\"\"kind\"\":\"\"Event");
  return prefix.size > 0 && recognises_audit(outline_json(line.substr(prefix.size)));
}

bool is_trace(std::string_view, const JsonOutline& record) {
  return record.has("time") &&
         (record.has("requestInfo") || (record.has("uri") && (record.has("verb") || record.has("method"))));
}

bool is_klog(std::string_view line, const JsonOutline& record) {
  return !record.is_json && find_klog_header(line) != std::string_view::npos;
}

bool is_klog_json(std::string_view, const JsonOutline& record) {
  return record.has("ts") && record.has("msg") && (record.has("caller") || record.has("v"));
}

bool is_gcp(std::string_view, const JsonOutline& record) {
  return record.has("protoPayload") || (record.has("insertId") && record.has("logName"));
}

// What a record wraps tells; where it is cut off, as the first of many megabytes may be, its members must do.
bool contains(std::string_view text, std::string_view what) { return text.find(what) != std::string_view::npos; }
bool is_wrapped(std::string_view line, LogFormat format) { return recognise_wrapping(line) == format; }

bool is_cloudwatch(std::string_view line, const JsonOutline& record) {
  return is_wrapped(line, LogFormat::cloudwatch) || record.has("@message") || record.has("logEvents") ||
         contains(record.value("events"), "\"eventId\"");
}
bool is_elastic(std::string_view line, const JsonOutline& record) {
  return is_wrapped(line, LogFormat::elastic) || record.has("_source") || record.has("hits") ||
         contains(record.value("kubernetes"), "\"audit\"");
}
bool is_fluent_bit(std::string_view line, const JsonOutline&) { return is_wrapped(line, LogFormat::fluent_bit); }
bool is_loki(std::string_view line, const JsonOutline& record) {
  return is_wrapped(line, LogFormat::loki) || contains(record.value("streams"), "\"values\"") ||
         contains(record.value("data"), "\"resultType\"");
}
bool is_azure(std::string_view line, const JsonOutline& record) {
  return is_wrapped(line, LogFormat::azure) || (record.has("operationName") && record.has("category")) ||
         contains(record.value("records"), "operationName");
}
bool is_otlp(std::string_view, const JsonOutline& record) { return record.has("resourceLogs"); }

// The first that recognises a record has it.
constexpr FormatRow kFormats[] = {
    {"audit", LogFormat::audit, is_audit, make_audit_parser},
    {"trace", LogFormat::trace, is_trace, make_trace_parser},
    {"httplog", LogFormat::httplog, is_klog, make_klog_parser},
    {"httplog-json", LogFormat::httplog_json, is_klog_json, make_klog_json_parser},
    {"gcp", LogFormat::gcp, is_gcp, make_gcp_parser},
    {"azure", LogFormat::azure, is_azure, make_azure_parser},
    {"otlp", LogFormat::otlp, is_otlp, make_otlp_parser},
    {"cloudwatch", LogFormat::cloudwatch, is_cloudwatch, make_cloudwatch_parser},
    {"elastic", LogFormat::elastic, is_elastic, make_elastic_parser},
    {"loki", LogFormat::loki, is_loki, make_loki_parser},
    {"fluent-bit", LogFormat::fluent_bit, is_fluent_bit, make_fluent_bit_parser},
};
static_assert(std::size(kFormats) + 1 == kLogFormatCount);

constexpr std::string_view kBlank{" \t\r\n\0", 5};

// The end of the string whose first quote is at `begin`: after its last quote, or the text's end.
std::size_t string_end(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size();
}

// After the value at `begin`: at the comma or bracket behind it, or the text's end.
std::size_t value_end(std::string_view text, std::size_t begin) {
  int depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      i = string_end(text, i) - 1;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (--depth < 0) return i;
    } else if (c == ',' && depth == 0) {
      return i;
    }
  }
  return text.size();
}

LogFormat recognise_record(std::string_view record) {
  const JsonOutline outline = outline_json(record);
  for (const FormatRow& row : kFormats) {
    if (row.recognises(record, outline)) return row.format;
  }
  return LogFormat::automatic;
}

}  // namespace

std::span<const FormatRow> log_formats() { return kFormats; }

LogParser& LogParsers::of(LogFormat format) {
  std::unique_ptr<LogParser>& parser = parsers_[static_cast<std::size_t>(format)];
  if (!parser) {
    const auto* row = std::find_if(std::begin(kFormats), std::end(kFormats),
                                   [&](const FormatRow& r) { return r.format == format; });
    parser = row->make_parser();
  }
  return *parser;
}

bool JsonOutline::has(std::string_view key) const { return !value(key).empty(); }

std::string_view JsonOutline::value(std::string_view key) const {
  for (const Member& m : members) {
    if (m.key == key) return m.value;
  }
  return {};
}

JsonOutline outline_json(std::string_view text) {
  JsonOutline outline;
  std::size_t at = text.find_first_not_of(kBlank);
  if (at != std::string_view::npos && text[at] == '[') at = text.find_first_not_of(kBlank, at + 1);
  if (at == std::string_view::npos || text[at] != '{') return outline;
  outline.is_json = true;
  for (;;) {
    at = text.find_first_not_of(kBlank, at + 1);
    if (at == std::string_view::npos || text[at] != '"') break;
    const std::size_t key_end = string_end(text, at);
    const std::size_t colon = text.find_first_not_of(kBlank, key_end);
    if (colon == std::string_view::npos || text[colon] != ':') break;
    const std::size_t begin = text.find_first_not_of(kBlank, colon + 1);
    if (begin == std::string_view::npos) break;
    const std::size_t end = value_end(text, begin);
    outline.members.push_back({text.substr(at + 1, key_end - at - 2), text.substr(begin, end - begin)});
    if (end == text.size() || text[end] != ',') break;
    at = end;
  }
  return outline;
}

bool is_multi_line_json(std::string_view head) {
  const std::size_t begin = head.find_first_not_of(kBlank);
  if (begin == std::string_view::npos || (head[begin] != '{' && head[begin] != '[')) return false;
  const std::size_t newline = head.find('\n', begin);
  if (newline == std::string_view::npos) return false;
  DocumentScanner scanner;
  // A line that ends within a string, or that closes a value, is no part of a longer one.
  if (scanner.scan_one(head.substr(begin, newline - begin)) != std::string_view::npos || scanner.in_string())
    return false;
  const std::size_t next = head.find_first_not_of(kBlank, newline);
  if (next == std::string_view::npos) return false;
  // A line cut off, and then another one: an object begins where this value has no place for it.
  return head[next] != '{' || scanner.last() == ':' ||
         (scanner.innermost() == '[' && (scanner.last() == '[' || scanner.last() == ','));
}

LogFormat recognise_log(std::string_view head, bool whole_documents) {
  if (whole_documents) return recognise_record(head);
  while (!head.empty()) {
    const std::size_t newline = std::min(head.find('\n'), head.size());
    const LogFormat format = recognise_record(head.substr(0, newline));
    if (format != LogFormat::automatic) return format;
    head.remove_prefix(std::min(newline + 1, head.size()));
  }
  return LogFormat::automatic;
}

// Elements of EventLists lack kind and apiVersion, and shippers leave out more; but no other log has these names.
bool recognises_audit(const JsonOutline& record) {
  const std::string_view version = record.value("apiVersion"), kind = record.value("kind");
  if (version.starts_with("\"audit.k8s.io/")) return true;
  if (version.empty() && (kind.starts_with("\"Event\"") || kind.starts_with("\"EventList\""))) return true;
  if (record.has("auditID") && (record.has("stage") || record.has("requestURI"))) return true;
  return (record.has("requestURI") && record.has("verb")) || record.has("requestReceivedTimestamp");
}

}  // namespace apf
