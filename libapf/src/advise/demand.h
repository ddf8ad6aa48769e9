// What the requests of a log take at least, whatever the configuration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <apf/advise.h>

#include "advise/plan.h"
#include "replay/passes/prepared_log.h"

namespace apf {

// A stretch of time in which requests need more seats than in any other: what arrives within it and must have begun
// within a wait, done within it as late as that allows, at one seat each.
struct Demand {
  Nanos from = 0, to = 0;
  double seat_seconds = 0;     // within it
  std::uint64_t requests = 0;  // that arrive within it
  double seats() const;
};

// Of all requests, or of those whose level is `level` before any change, and whom none of the `levels`, changes that
// are new ones, takes elsewhere. Each waits as long as it may, at most `longest_wait`. Watches count for nothing, nor
// do requests whose duration the log does not say.
Demand densest_demand(const PreparedLog& log, const ReplayOptions& options, const std::string& level,
                      const Plan& levels, std::optional<Nanos> longest_wait);

}  // namespace apf
