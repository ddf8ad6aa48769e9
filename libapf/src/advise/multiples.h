// Replays at other loads.
#pragma once

#include <string>
#include <vector>

#include <apf/replay.h>

namespace apf {

// `options` at a multiple of their load. `clients`: of theirs alone; empty: of all.
void multiply(ReplayOptions& options, const std::vector<std::string>& clients, double multiple);
// The same of how long requests run.
void slow_down(ReplayOptions& options, const std::vector<std::string>& clients, double multiple);

}  // namespace apf
