#include "logs/formats/sniff.h"

#include <algorithm>

#include "logs/formats/csv_table.h"
#include "logs/formats/flat_event.h"
#include "logs/formats/format.h"
#include "logs/formats/json_outline.h"
#include "logs/formats/line_prefix.h"
#include "logs/formats/text_scan.h"
#include "logs/formats/wrapped.h"

namespace apf {
namespace {

constexpr LogFormat kFormats[] = {
#define APF_LOG_FORMAT(row) &row,
#include "logs/formats/formats.inc"
#undef APF_LOG_FORMAT
};

LogFormat recognise_record(std::string_view record, std::span<const LogFormat> formats) {
  const JsonOutline outline = outline_json(record);
  for (const LogFormat format : formats)
    if (format->recognises(record, outline)) return format;
  return kAnyFormat;
}

// The names of a table as if they were the members of a record.
WrappingName name_of_table(std::string_view head) {
  JsonOutline outline;
  const TableRows rows(table_header(head));
  for (const std::string_view name : rows.names()) outline.members.push_back({name, "\"\""});
  const WrappingName name = name_wrapping(outline);
  return name.known ? name : WrappingName{name.format, "CSV table"};
}

bool is_table_of_server(std::string_view head) {
  const TableRows rows(table_header(head));
  if (FlatEvent().set_columns(rows.names())) return true;
  return has_audit_names(head) || contains(head, "httplog.go:") || contains(head, R"("{""ts"":)");
}

}  // namespace

const char* label_of_log(std::string_view head, LogFormat format, bool whole_documents) {
  if (format == &kAuditFormat) {  // with members of others beside those of the event
    const WrappingName name = name_wrapping(outline_json(whole_documents ? head : head.substr(0, head.find('\n'))));
    return name.known && name.format == &kWrappedFormat ? name.label : "";
  }
  if (format == kAnyFormat || !format->wraps) return "";
  if (!table_header(head).empty()) return name_of_table(head).label;
  for (; !head.empty(); head.remove_prefix(std::min(head.find('\n'), head.size() - 1) + 1)) {
    const std::string_view record = whole_documents ? head : head.substr(0, head.find('\n'));
    if (const JsonOutline outline = outline_json(record); outline.is_json && wraps_line_of_server(record))
      return name_wrapping(outline).label;
  }
  return "";
}

std::span<const LogFormat> log_formats() { return kFormats; }

LogParser& LogParsers::of(LogFormat format) {
  for (auto& [known, parser] : parsers_)
    if (known == format) return *parser;
  return *parsers_.emplace_back(format, format->make_parser()).second;
}

LogParser& LogParsers::of(const LogChunk& chunk) {
  if (!chunk.sorted) return of(chunk.format);
  if (!sorted_) sorted_ = make_sorted_parser();
  return *sorted_;
}

bool is_multi_line_json(std::string_view head) {
  const std::size_t begin = head.find_first_not_of(kBlankSpace);
  if (begin == std::string_view::npos || (head[begin] != '{' && head[begin] != '[')) return false;
  const std::size_t newline = head.find('\n', begin);
  if (newline == std::string_view::npos) return false;
  DocumentScanner scanner;
  // A line that ends within a string, or that closes a value, is no part of a longer one.
  if (scanner.scan_one(head.substr(begin, newline - begin)) != std::string_view::npos || scanner.in_string())
    return false;
  const std::size_t next = head.find_first_not_of(kBlankSpace, newline);
  if (next == std::string_view::npos) return false;
  // A line cut off, and then another one: an object begins where this value has no place for it.
  return head[next] != '{' || scanner.last() == ':' ||
         (scanner.innermost() == '[' && (scanner.last() == '[' || scanner.last() == ','));
}

LogFormat recognise_log(std::string_view text, bool whole_documents, std::span<const LogFormat> formats) {
  std::string_view head = text;
  if (!table_header(head).empty() && is_table_of_server(head)) return name_of_table(head).format;
  if (whole_documents) return recognise_record(head, formats);
  while (!head.empty()) {
    const std::size_t newline = std::min(head.find('\n'), head.size());
    const LogFormat format = recognise_record(head.substr(0, newline), formats);
    if (format != kAnyFormat) return format;
    head.remove_prefix(std::min(newline + 1, head.size()));
  }
  return is_of_client(text) ? &kHttplogFormat : kAnyFormat;  // with or without klog's header
}

}  // namespace apf
