// --scale, --nodes, --execution-scale, --width-cap, --width-bytes: more or less load than the log holds.
#pragma once

#include <string>
#include <vector>

#include <apf/replay.h>

#include "command_line.h"

namespace apfctl {

// apf::parse_client() for the value of a flag. Throws UsageError.
std::string user_of_client(const char* flag, const std::string& client);

// A value of --width-cap or --width-bytes, or of the key of one side that is called the same; empty: it changes
// nothing. Throws UsageError.
void set_width_cap(apf::ListWidths& widths, const char* flag, const std::string& text);
void set_width_bytes(apf::ListWidths& widths, const char* flag, const std::string& text);

struct ScaleFlags {
  std::vector<std::string> scales, executions;
  std::string nodes, width_cap, width_bytes;

  void declare(CommandLine& line);
  // Throws UsageError.
  void set(apf::ReplayOptions& options) const;
};

}  // namespace apfctl
