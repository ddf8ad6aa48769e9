// What is said of the clients of a replay: --client-model, --client-timeout.
#pragma once

#include <string>
#include <vector>

#include <apf/replay.h>

#include "command_line.h"

namespace apfctl {

struct ClientFlags {
  std::vector<std::string> models, timeouts;

  void declare(CommandLine& line);
  void declare_timeouts(CommandLine& line);  // alone: a load that is multiplied has no clients that wait
  // Throws UsageError.
  void set(apf::ReplayOptions& options) const;
};

}  // namespace apfctl
