// Log lines as shippers and stores wrap them, each in forms of its own (FormatRow::wrappings). What is wrapped is the
// server's line as a text, or the audit event as an object.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "logs/chunk_source.h"
#include "logs/formats/json_walk.h"

namespace apf {

struct WrappedRecord {
  JsonToken payload = nullptr;  // a string or an object
  std::uint32_t origin = 0;     // as LogEvent::origin
  Nanos written = kNoTime;      // when a container runtime took the line; kNoTime: not recorded, or of another kind
};

// Appends what the object wraps. False: it is of no known form (or not of `only`, unless that is kAnyFormat).
bool unwrap(JsonText json, JsonToken object, LogFormat only, std::vector<WrappedRecord>& out);

// Which format it is of, by its members; kAnyFormat: none.
LogFormat recognise_wrapping(std::string_view record);

// Reads records of that format; what else is in such a file is read, too, unless the format is forced.
std::unique_ptr<LogParser> make_record_parser(LogFormat format);

}  // namespace apf
