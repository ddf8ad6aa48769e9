// A log format: one file that defines its row, and the row in the table (formats.inc).
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
  bool (*recognises)(std::string_view line, const JsonOutline& record);
  std::unique_ptr<LogParser> (*make_parser)();
  std::span<const Wrapping> wrappings = {};  // the first that fits is taken
  // How much of a text are whole records, where records are no lines; null: they are.
  std::size_t (*whole_records)(std::string_view text) = nullptr;
};

}  // namespace apf
