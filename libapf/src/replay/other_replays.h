// Further replays of a log whose requests may have run for other times than assumed: see UnknownWaits.
#pragma once

#include <apf/replay.h>

namespace apf {

class OneReading;

// Whether the log may leave open how long requests run.
bool may_be_undecided(const ReplayOptions& options);
// Whether all of the logs can be.
bool can_be_read_again(const ReplayOptions& options);
// Every request until its recorded end; nothing but the report is made.
ReplayOptions with_recorded_ends(const ReplayOptions& options);
// Replays the log again and adds the report to `report.others`. `log`: if it is read once; else null.
void add_recorded_ends(const ReplayOptions& options, ReplayReport& report, const OneReading* log);

}  // namespace apf
