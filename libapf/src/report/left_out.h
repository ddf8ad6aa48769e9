// Lines of a log without a place in a report, in words.
#pragma once

#include <algorithm>
#include <map>
#include <string>

#include <apf/output.h>
#include <apf/replay.h>

#include "report/units.h"

namespace apf {

// "time or duration out of range, first in line 2"; "… first at b.log:2" where there are several logs. printable()
// makes it safe for a terminal.
inline std::string why_unusable(const std::string& reason, std::uint64_t lines,
                                const std::map<std::string, LogPlace>& first, std::size_t logs) {
  const auto place = first.find(reason);
  if (place == first.end()) return reason;
  return reason + (lines == 1 ? ", " : ", first ") +
         (logs == 1 ? "in line " + std::to_string(place->second.line) : "at " + place->second.str());
}

// Of requests that came too late in the log.
inline std::string late_sentence(const ReplayReport& report) {
  const bool pipe = std::find(report.logs.begin(), report.logs.end(), "-") != report.logs.end();
  return counted(report.out_of_window, "request", "requests") +
         " came so late in the log that the replay had moved on: replayed late, or without the end" +
         (pipe ? " (requests of more than 75 s find their places if the log is a file)." : ".");
}

// "firstUnusable", where there are any.
inline void write_first_lines(JsonWriter& json, const std::map<std::string, LogPlace>& first) {
  if (first.empty()) return;
  json.key("firstUnusable").begin_object();
  for (const auto& [reason, place] : first)
    json.key(reason).begin_object().field("log", place.log).field("line", place.line).end_object();
  json.end_object();
}

}  // namespace apf
