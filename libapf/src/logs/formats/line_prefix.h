// What container runtimes, kubectl, journals and exports put before a line that is JSON by itself.
#pragma once

#include <cstddef>
#include <string_view>

#include "logs/formats/json_walk.h"
#include "logs/log_event.h"

namespace apf {

struct LinePrefix {
  std::size_t size = 0;     // 0: there is none before JSON
  bool csv = false;         // the rest is a quoted cell of a table
  Nanos written = kNoTime;  // when the runtime took the line
};
LinePrefix find_line_prefix(std::string_view line);

// The text of a quoted cell, `text` begins behind its first quote.
std::string_view read_csv_cell(std::string_view text, JsonScratch& scratch);

inline std::string_view trim_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

}  // namespace apf
