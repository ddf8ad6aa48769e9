// Lines of logs that are no requests and yet tell of some: client-go's limiter, and kube-apiserver's traces.
#pragma once

#include <functional>

#include <apf/log_summary.h>

#include "summary/handler_trace.h"

namespace apf {

// Of all of the logs' lines; reads them again. Traces come in the order in which they end.
ClientThrottling read_other_lines(const LogOptions& options, std::size_t top,
                                  const std::function<void(const HandlerTrace&)>& sink);

// Throws Error for the first log without requests, which says what it is; for empty ones if there is nothing else.
void refuse_logs_without_events(const LogStat& stat, const LogOptions& options);

}  // namespace apf
