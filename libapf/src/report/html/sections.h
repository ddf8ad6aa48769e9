// The parts of the page about one server, in their order on the page. `id` begins the ids of all that is in them.
#pragma once

#include <string>
#include <vector>

#include <apf/replay.h>
#include <apf/report.h>

#include "report/passage.h"
#include "report/ranges.h"

namespace apf {

// A list under a heading; nothing for none.
std::string page_sentences(const char* title, const std::vector<std::string>& list);

// Every level at a glance.
std::string level_table(const ReplayReport& report);
// For each level with requests: seats, limits, waiting and refusals over time, and how long the waits were.
// The curves of a level; null: it has none.
const LevelSeries* find_curves(const ReplaySeries& series, const std::string& name);
std::string level_plots(const ReplayReport& report, const std::string& id);
// Requests in flight over time, where API Priority and Fairness is off; nothing for several servers.
std::string in_flight_plots(const ReplayReport& report, const std::string& id);
// Who waited and who was refused most.
std::string flow_tables(const ReplayReport& report);
// Which of these flows have queues in common.
std::string shared_queues(const ReplayReport& report);

// What all formats for people have in common.
std::string html_passage(const Passage& passage);

// ████▒▒▒▒×××: served at once, served after waiting, refused.
std::string outcome_bar(const RequestTally& tally);
// <td> of a number, a wait, a share.
std::string count_cell(const Range<std::uint64_t>& count, const char* style = "");
std::string count_cell(std::uint64_t count, const char* style = "");
std::string wait_cell(const TallyVersions& tally, double quantile);

}  // namespace apf
