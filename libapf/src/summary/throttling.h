// Lines in which client-go says that a request waited in the client: of its own rate limiter, and of no server.
#pragma once

#include <apf/log_summary.h>

namespace apf {

// All of the logs' lines; reads them again.
ClientThrottling read_throttling(const LogOptions& options, std::size_t top);

}  // namespace apf
