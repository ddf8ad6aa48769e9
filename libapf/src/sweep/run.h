// The replays of a share of a sweep, in their order.
#pragma once

#include <functional>

#include "sweep/cell.h"

namespace apf {

// Reads each log once for all its replays of the share that can use the same reading. False: interrupted.
bool run_share(const SweepOptions& options, const SweepShare& share, const std::function<void(SweepCell&&)>& sink);

// A report of nothing yet.
SweepReport begin_report(const SweepOptions& options);

}  // namespace apf
