// trace_logs() for what needs more of each request than its normal form, or what the logs hold besides.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include <apf/logs.h>

#include "classify/request_view.h"

namespace apf {

struct TracedRequest {
  const TraceRequest& request;
  const RequestView& view;                       // of it
  std::uint32_t user = 0;                        // the same number for the same user; 0: has none
  std::optional<Nanos> answered = std::nullopt;  // of a refused request: when, if the log says it
  std::uint32_t impersonator = 0;                // who acts for the user, a number as that; 0: nobody does
  const User* impersonator_named = nullptr;      // the same
  bool decided = false;                          // authorization let it in; of those served, known of some
};

// Gives each request of the logs to `sink`, as trace_logs() does, and counts what they hold. `release`: see
// stat_logs().
LogStat count_logs(const LogOptions& options, std::optional<KubeVersion> release,
                   const std::function<void(const TracedRequest&)>& sink, const std::function<void()>& begin_again);

}  // namespace apf
