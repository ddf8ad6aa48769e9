// What one replay shows of a level, as far as headroom looks at it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <apf/replay.h>

namespace apf {

struct LevelFigures {
  std::uint64_t requests = 0, rejected = 0;  // by the server: who hangs up is not refused
  std::uint64_t queues_full = 0;             // of these, refused by a full queue
  std::uint64_t hung_up = 0;                 // while they waited
  Nanos p99 = 0, longest = 0;
  double waiting = 0;     // requests that wait, on average over the time in which any does
  double never_idle = 0;  // the part of the time in which any waits
  // At p99; whose clients hang up has waited too long, whatever the bound is.
  bool waits(Nanos bound) const { return p99 > bound || hung_up * 100 > requests; }
};

// The flow most of whose requests were refused; without refusals, the one that waited longest.
struct WorstFlow {
  std::string schema, distinguisher;
};

LevelFigures figures_of_level(const ReplayReport& report, const std::string& level);
// Whether a replay that is still going on will show a level, of `requests` in all, refuse; or a p99 wait above `bound`.
bool will_refuse(const std::vector<FlowReport>& so_far, const std::string& level);
bool will_wait(const std::vector<FlowReport>& so_far, const std::string& level, std::uint64_t requests, Nanos bound);
WorstFlow worst_flow_of(const ReplayReport& report, const std::string& level);

}  // namespace apf
