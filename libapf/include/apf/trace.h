// Logs as requests in the normal form that every log reader produces: the trace line (apfctl-trace(5)).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apf/remark.h>
#include <apf/request.h>
#include <apf/time.h>
#include <apf/version.h>

namespace apf {

struct TraceRequest {
  Nanos time = 0;                // arrival at the server
  bool time_is_integer = false;  // written as an integer number of ns, not as RFC 3339
  std::string id;
  User user;                 // after impersonation
  std::string verb, method;  // verb + uri, or method + uri, or request_info
  std::string uri;
  std::optional<RequestInfo> request_info;
  std::optional<Nanos> execution;  // how long it runs once dispatched
  std::optional<Nanos>
      recorded_end;           // audit logs: when the response was complete (the end a replay anchors); "recordedEnd"
  std::optional<Nanos> init;  // watch: duration of its initialization
  std::optional<Nanos> end;   // watch: instant it ends
  std::optional<Nanos> wait_limit;  // how long it may queue
  std::optional<WorkEstimate> seats;
  std::string user_agent, source_ip;
  int code = 0;
  struct Recorded {
    std::string flow_schema, priority_level;
    std::optional<Nanos> queue_wait;
  } recorded;
  std::string object;  // JSON, as recorded
  std::string server;
};

APF_API std::string render_trace_line(const TraceRequest& request);  // one line, without the newline

// Nothing if the line is no trace line; `error` then says in one sentence what is wrong.
APF_API std::optional<TraceRequest> parse_trace_line(std::string_view line, std::string& error);

// Logs in memory: texts by name, as they would be in files (compressed ones, too). The caller keeps the bytes.
using LogTexts = std::map<std::string, std::string_view>;

// Which logs are read, and how.
struct LogOptions {
  std::vector<std::string> logs;    // of one server, in order; "-" = standard input
  LogTexts texts;                   // what is named here is read from memory, not from a file
  std::string log_format = "auto";  // or a name of log_format_names()
  int log_year = 0;  // of the first line that does not write its year (klog text); 0 = found in the logs, else 1970
  Nanos reorder_window = 75 * kSecond;             // how much later than its arrival a request may stand in the log
  std::size_t reorder_limit = 1u << 18;            // … and how many requests are held for it
  int threads = 0;                                 // 0 = as many as there are processors
  const std::atomic<bool>* interrupted = nullptr;  // set: what is done so far is reported
};

// The formats that --log-format takes, "auto" first.
APF_API std::vector<std::string> log_format_names();

// How an audit log and the HTTP log of one server were joined.
struct JoinReport {
  bool joined = false;  // both logs were there
  std::uint64_t requests = 0, audit_only = 0, http_only = 0;
  std::uint64_t users_found = 0;  // of http_only: by address and user agent
};

// What was read.
struct LogReport {
  std::vector<std::string> logs;
  std::uint64_t bytes = 0, lines = 0, events = 0, requests = 0;
  std::uint64_t other_lines = 0;                  // of the server's own log, about no request: no fault
  std::map<std::string, std::uint64_t> unusable;  // reason → lines
  std::uint64_t out_of_window = 0;                // requests that arrived earlier than what was already handed on
  JoinReport join;
  std::vector<Remark> warnings, assumptions;
  bool interrupted = false;
};

// Calls `sink` for each request of the logs, its stages joined, in order of arrival (as far as the reorder window
// reaches). Throws Error: a log that cannot be opened or is of no known format.
APF_API LogReport trace_logs(const LogOptions& options, const std::function<void(const TraceRequest&)>& sink);

}  // namespace apf
