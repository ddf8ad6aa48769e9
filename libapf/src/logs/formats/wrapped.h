// Audit events, and lines of the server, within records of shippers and stores: as the value of any member at any depth
// up to six objects, as an object or as text, in arrays, and with members that were flattened.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "logs/formats/json_outline.h"
#include "logs/formats/json_walk.h"
#include "logs/log_chunk.h"

namespace apf {

struct WrappedRecord {
  JsonToken payload = nullptr;  // a string, an array of bytes or an object; of a table, the object with its columns and
                                // rows, or one row
  bool table = false;           // as an array of fields and values
  std::uint32_t origin = 0;     // as LogEvent::origin
  Nanos written = kNoTime;      // when a container runtime took the line; kNoTime: not recorded, or of another kind
  Nanos stamped = kNoTime;      // the time of the record by other names
};

// Appends what the object wraps. Of an object's members, that which holds an event as such wins over those with its
// text, and the first of them over the others. any_text: what it wraps is a line, but shows nothing of the server.
enum class Wrapped : std::uint8_t { nothing, any_text, of_server };
Wrapped unwrap(JsonText json, JsonToken object, std::vector<WrappedRecord>& out);

// Where an object has the columns and the rows of a table; null: it is none.
struct TableTokens {
  JsonToken columns = nullptr, rows = nullptr;
};
TableTokens find_table(JsonText json, JsonToken object);

// Members that name the server which a record is of.
bool names_server(std::string_view member);
// What a record's own members of such names say, as LogEvent::origin; 0: nothing.
std::uint32_t server_of_record(JsonText json, JsonToken object);

// What a record is by the names of its members: a format, and what wraps the lines in words.
struct WrappingName {
  LogFormat format = kAnyFormat;
  const char* label = "";
  bool known = true;
};
WrappingName name_wrapping(const JsonOutline& members);
// Whether a record, or the beginning of one, wraps anything of the server.
bool wraps_line_of_server(std::string_view record);

// Reads records of that format; what else is in such a file is read, too, unless the format is forced.
std::unique_ptr<LogParser> make_record_parser(LogFormat format);

}  // namespace apf
