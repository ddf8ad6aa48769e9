// The lists of a report: which flows waited and were refused most. Where a report is of several replays, one of them
// alone does not say which these are: the worst case counts, and each replay has the same ones, so that their figures
// have ranges.
#pragma once

#include <apf/replay.h>

namespace apf {

// How many a further replay keeps of each list. A flow that is in a list of the report and beyond this in a further
// replay counts there as one that held no seats.
constexpr int kMostListed = 1000;

// The flows of a further replay that may come into a list of the report.
void keep_listed_flows(ReplayReport& other);

// `report` is complete, and `all_flows` are all flows; they are kept if `keeps_flows`. Of each list the first `top`
// remain.
void finish_lists(ReplayReport& report, int top, bool keeps_flows);

}  // namespace apf
