// A log format: one file, and one row in the table (sniff.cc).
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "logs/chunk_source.h"

namespace apf {

struct JsonOutline;

// A form in which a shipper or store wraps lines of the server. Paths name members, "[]" all elements of an array, a
// digit one of them. Origin and time are looked for in each item.
struct Wrapping {
  std::string_view items;    // from the record to what holds one payload each; empty: the record itself
  std::string_view payload;  // from the item
  std::string_view origin;   // from the item: which server's log it is
  std::string_view written;  // from the item: RFC 3339, given by a container runtime with the line
};

struct FormatRow {
  const char* name;  // as --log-format takes it
  LogFormat format;
  bool (*recognises)(std::string_view line, const JsonOutline& record);
  std::unique_ptr<LogParser> (*make_parser)();
  std::span<const Wrapping> wrappings = {};  // the first that fits is taken
};

extern const FormatRow kAuditFormat, kTraceFormat, kHttplogFormat, kHttplogJsonFormat, kGcpFormat, kGcpYamlFormat,
    kAzureFormat, kOtlpFormat, kCloudwatchFormat, kElasticFormat, kLokiFormat, kFluentBitFormat;

// The table. The first that recognises a record has it: forms whose names are their own stand before those with common
// ones.
std::span<const FormatRow* const> log_formats();

}  // namespace apf
