// Lines of logs that are no requests and yet tell of some: client-go's limiter, and kube-apiserver's traces.
#pragma once

#include <functional>

#include <apf/log_summary.h>

#include "summary/handler_trace.h"

namespace apf {

// Of all of the logs' lines; reads them again. Traces come in the order in which they end.
ClientThrottling read_other_lines(const LogOptions& options, std::size_t top,
                                  const std::function<void(const HandlerTrace&)>& sink);

}  // namespace apf
