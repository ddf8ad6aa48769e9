// --timeline: one JSON line for each level and adjustment of its limit.
#pragma once

#include <apf/output.h>

#include <string>

#include "schedule/controller.h"

namespace apf {

class TimelineWriter {
 public:
  TimelineWriter(OutputFile& file, std::string server) : file_(file), server_(std::move(server)) {}
  void write(const Round& round, const Controller& controller);

 private:
  OutputFile& file_;
  const std::string server_;  // empty: there is only one
};

}  // namespace apf
