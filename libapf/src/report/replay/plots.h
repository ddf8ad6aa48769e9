// What only a page has: curves over time, and the queues that flows share. `id` begins the ids of all that is in them.
#pragma once

#include <string>

#include <apf/document.h>
#include <apf/replay_report.h>

namespace apf {

// For each level with requests: seats, limits, waiting and refusals over time, and how long the waits were.
Passage level_plots(const ReplayReport& report, const std::string& id);
// The curves of a level; null: it has none.
const LevelSeries* find_curves(const ReplaySeries& series, const std::string& name);
// Requests in flight over time, where API Priority and Fairness is off; nothing for several servers.
Passage in_flight_plots(const ReplayReport& report, const std::string& id);
// Which of the flows that waited or were refused most have queues in common.
Passage shared_queues(const ReplayReport& report);
// ████▒▒▒▒×××: served at once, served after waiting, refused; and what it means.
std::string outcome_svg(const RequestTally& tally);
std::string outcomes_key();

}  // namespace apf
