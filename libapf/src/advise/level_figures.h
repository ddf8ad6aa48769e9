// What one replay shows of a level, as far as headroom looks at it.
#pragma once

#include <cstdint>
#include <string>

#include <apf/replay.h>

namespace apf {

struct LevelFigures {
  std::uint64_t requests = 0, rejected = 0;
  std::uint64_t queues_full = 0;  // of these, refused by a full queue
  Nanos p99 = 0, longest = 0;
  double waiting = 0;     // requests that wait, on average over the time in which any does
  double never_idle = 0;  // the part of the time in which any waits
};

// The flow most of whose requests were refused; without refusals, the one that waited longest.
struct WorstFlow {
  std::string schema, distinguisher;
};

LevelFigures figures_of_level(const ReplayReport& report, const std::string& level);
WorstFlow worst_flow_of(const ReplayReport& report, const std::string& level);

}  // namespace apf
