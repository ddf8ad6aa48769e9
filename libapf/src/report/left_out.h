// Lines of a log without a place in a report, in words.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <apf/output.h>
#include <apf/replay.h>

#include "report/units.h"

namespace apf {

// "audit.log:4: cut off in the middle: {"kind":"Event",": the first of each log, and how many more it has.
std::vector<std::string> bad_line_sentences(const std::vector<BadLines>& logs);

// "badLines", where there are any.
void write_bad_lines(JsonWriter& json, const std::vector<BadLines>& logs);

// Of requests that came too late in the log.
inline std::string late_sentence(const ReplayReport& report) {
  const bool pipe = std::find(report.logs.begin(), report.logs.end(), "-") != report.logs.end();
  return counted(report.out_of_window, "request", "requests") +
         " came so late in the log that the replay had moved on: replayed late, or without the end" +
         (pipe ? " (requests of more than 75 s find their places if the log is a file)." : ".");
}

}  // namespace apf
