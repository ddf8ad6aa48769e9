// Which server a log is of, by its name, and whether logs that were given as one server's are of several.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <apf/remarks.h>

namespace apf {

// The node in master-0.example-audit.log, kube-apiserver-cp-1_kube-system_….log, cp-1/audit.log; empty: none is named.
std::string server_of_log(std::string_view path);

struct LogSpan {
  std::string log;
  Nanos first = INT64_MAX, last = INT64_MIN;  // when its events were written
  bool http = false;                          // the server's own log
};

// Logs of one kind, of nodes with different names, that overlap in time for at least half of their length: parts of one
// server's log follow one another. Nothing: they are of one server.
std::vector<Remark> servers_in_files(const std::vector<LogSpan>& logs);

// Whether a warning of logs says that they are not of one server.
inline bool is_of_several_servers(const Remark& warning) {
  return warning.kind == RemarkKind::servers_in_files || warning.kind == RemarkKind::servers_mixed;
}

}  // namespace apf
