#include "flags/replay_servers.h"

#include <fmt/core.h>

#include <algorithm>

#include <apf/report.h>

namespace apfctl {

namespace {

bool is_name(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  });
}

}  // namespace

bool names_log(const std::string& value) {
  const std::size_t equals = value.find('=');
  return equals != std::string::npos && is_name(value.substr(0, equals));
}

ServerLogs& add_server_log(std::vector<ServerLogs>& servers, const std::string& value) {
  const std::size_t equals = value.find('=');
  if (equals == std::string::npos || equals + 1 == value.size())
    throw UsageError("--server: '" + apf::printable(value) + "' is not NAME=LOG");
  const std::string name = value.substr(0, equals);
  if (!is_name(name))
    throw UsageError("--server: '" + apf::printable(name) +
                     "' is not a valid name (letters, digits, '.', '_' and '-')");
  const auto known =
      std::find_if(servers.begin(), servers.end(), [&](const ServerLogs& server) { return server.name == name; });
  ServerLogs& server = known != servers.end() ? *known : servers.emplace_back(ServerLogs{name, {}});
  server.logs.push_back(value.substr(equals + 1));
  return server;
}

std::vector<ServerLogs> server_logs(const CommandLine& line) {
  std::vector<ServerLogs> out;
  const bool several = std::any_of(line.words().begin(), line.words().end(), [](const CommandLine::Word& word) {
    return word.flag == "--server" && names_log(word.value);
  });
  if (!several) return {{"", line.arguments(1, CommandLine::kAnyNumber, "the log (LOG...)")}};
  ServerLogs* current = nullptr;
  for (const auto& [flag, value] : line.words()) {
    if (flag.empty()) {
      if (!current)
        throw UsageError(
            fmt::format("'{}' comes before the first --server: put it after the --server that it belongs to",
                        apf::printable(value)));
      current->logs.push_back(value);
    } else if (flag == "--server" && names_log(value)) {
      current = &add_server_log(out, value);
    }
  }
  return out;
}

}  // namespace apfctl
