// Changes of a configuration that may cure a level's refusals or waits with the server's seats as they are: candidates,
// which replays confirm or not.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <apf/replay.h>

namespace apf {

struct CureCandidate {
  WhyCure cure;
  double size = 0;  // of the change: a smaller one comes first
  std::function<void(ReplayOptions&)> apply;
};

// Of the levels that refuse in `report`, else of those where requests wait, the worst ones first.
std::vector<CureCandidate> configuration_cures(const ReplayOptions& options, const ReplayReport& report);
// More seats, a step larger each.
std::vector<CureCandidate> seat_cures(const ReplayOptions& options);

}  // namespace apf
