// What only a page has: curves over time, and the queues that flows share. `prefix` begins the names of its places.
#pragma once

#include <string>
#include <vector>

#include <apf/document.h>
#include <apf/replay_report.h>

namespace apf {

// For each level with requests: seats, limits, waiting and refusals over time, and how long the waits were.
Passage level_plots(const ReplayReport& report, const std::string& prefix);
// The curves of a level; null: it has none.
const LevelSeries* find_curves(const ReplaySeries& series, const std::string& name);
// Requests in flight over time, where API Priority and Fairness is off; nothing for several servers.
Passage in_flight_plots(const ReplayReport& report, const std::string& prefix);
// Which of the flows that waited or were refused most have queues in common.
Passage shared_queues(const ReplayReport& report);
// How requests of each level fared, as bars.
Passage outcome_bars(const ReplayReport& report, const std::vector<const LevelReport*>& levels,
                     const std::string& prefix);

}  // namespace apf
