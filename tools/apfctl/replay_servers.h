// --server NAME=LOG [LOG]...: which logs are of which server.
#pragma once

#include <string>
#include <vector>

#include "command_line.h"

namespace apfctl {

struct ServerLogs {
  std::string name;  // empty: the only one, no --server given
  std::vector<std::string> logs;
};

// Logs that follow a --server on the command line are of that server, too. Throws UsageError.
std::vector<ServerLogs> server_logs(const CommandLine& line);

}  // namespace apfctl
