// Requests to classify, taken from a file: trace lines, audit events, or RequestInfo dumps as KEP-1040 prints them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <apf/request.h>
#include <apf/version.h>

namespace apf {

struct LoggedRequest {
  std::uint64_t line = 0;  // where it begins, from 1
  std::string id;          // audit ID, or the trace line's id
  ParsedRequest request;
  User user;                          // as recorded: no groups are added
  std::optional<WorkEstimate> seats;  // where a trace line overrides the estimate
  std::string error;                  // not empty: this is no request that can be classified, and why
};

// Calls `sink` for each request of the file ("-" = standard input), in the order of the text; the events of
// one audit ID are one request. Throws Error for a file that cannot be opened or holds none of the forms.
APF_API void read_requests(const std::string& path, const std::function<void(const LoggedRequest&)>& sink);

}  // namespace apf
