// A request in the normal form that every log reader produces: the trace line (apfctl-trace(5)).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apf/request.h>
#include <apf/seats.h>
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

}  // namespace apf
