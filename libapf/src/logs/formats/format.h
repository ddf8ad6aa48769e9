// A log format: one file that defines its row, and the row in the table (formats.inc).
#pragma once

#include <memory>
#include <string_view>

#include "logs/formats/json_outline.h"
#include "logs/log_chunk.h"

namespace apf {

struct FormatRow {
  const char* name;  // as --log-format takes it
  bool (*recognises)(std::string_view line, const JsonOutline& record);
  std::unique_ptr<LogParser> (*make_parser)();
  bool wraps = false;  // lines of the server are within records of others
  // How much of a text are whole records, where records are no lines; null: they are.
  std::size_t (*whole_records)(std::string_view text) = nullptr;
};

}  // namespace apf
