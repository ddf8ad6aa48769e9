// --server NAME=LOG [LOG]...: the logs of each server.
#pragma once

#include <string>
#include <vector>

#include "shared/command_line.h"

namespace apfctl {

struct ServerLogs {
  std::string name;  // empty without --server
  std::vector<std::string> logs;
};

// Whether a value of --server is NAME=LOG rather than a file that says how the server runs.
bool names_log(const std::string& value);

// NAME=LOG: the log of a server is added to those known. Throws UsageError.
ServerLogs& add_server_log(std::vector<ServerLogs>& servers, const std::string& value);

// Logs that follow a --server on the command line also belong to that server. Throws UsageError.
std::vector<ServerLogs> server_logs(const CommandLine& line);

}  // namespace apfctl
