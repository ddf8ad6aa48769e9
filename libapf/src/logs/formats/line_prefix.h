// What stands before a line's JSON: the times of container runtimes and journals, names of nodes, pods and files, the
// cells of a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "logs/formats/json_walk.h"
#include "logs/log_event.h"

namespace apf {

struct LinePrefix {
  enum class Quoting : std::uint8_t { none, doubled, escaped };  // how the JSON behind it is quoted
  std::size_t size = 0;                                          // 0: there is none before JSON of the server
  Quoting quoting = Quoting::none;
  Nanos written = kNoTime;   // when a container runtime took the line
  std::uint32_t origin = 0;  // of the words that name a server, as LogEvent::origin
};
LinePrefix find_line_prefix(std::string_view line);

// The JSON behind it, its quotes as they were before that.
std::string_view text_behind(std::string_view line, const LinePrefix& prefix, JsonScratch& scratch);

// Of a prefix' words: those that are neither times nor numbers.
std::uint32_t origin_of_words(std::string_view prefix);

}  // namespace apf
