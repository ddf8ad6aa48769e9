// Further replays of a log whose requests may have run for other times than assumed: see UnknownWaits.
#pragma once

#include <apf/replay.h>

namespace apf {

class OneReading;

// Replays the log again and adds the report to `report.others`. `log`: if it is read once; else null.
void add_recorded_ends(const ReplayOptions& options, ReplayReport& report, const OneReading* log);

}  // namespace apf
