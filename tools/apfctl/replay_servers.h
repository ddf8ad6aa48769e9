// --server NAME=LOG [LOG]...: the logs of each server.
#pragma once

#include <string>
#include <vector>

#include "command_line.h"

namespace apfctl {

struct ServerLogs {
  std::string name;  // empty without --server
  std::vector<std::string> logs;
};

// Logs that follow a --server on the command line also belong to that server. Throws UsageError.
std::vector<ServerLogs> server_logs(const CommandLine& line);

}  // namespace apfctl
