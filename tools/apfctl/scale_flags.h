// --scale, --nodes: more or less load than the log holds.
#pragma once

#include <string>
#include <vector>

#include <apf/replay.h>

#include "command_line.h"

namespace apfctl {

// sa:NS/NAME, sa:NS/*, node:NAME, node:*, user:NAME, or the name of a user, with a `*` at its end for all whose name
// begins so. Throws UsageError.
std::string user_of_client(const char* flag, const std::string& client);

struct ScaleFlags {
  std::vector<std::string> scales;
  std::string nodes;

  void declare(CommandLine& line);
  // Throws UsageError.
  void set(apf::ReplayOptions& options) const;
};

}  // namespace apfctl
