// Reads logs to sort their events.
#pragma once

#include <vector>

#include <apf/logs.h>

#include "logs/log_track.h"

namespace apf {

// Tracks to read in place of one: itself, or where LogOrder says that its logs are to be sorted, as few as are in order
// each. Throws Error for a log that cannot be opened or is of no known format, where there is no place on the disk, and
// for more than 64 tracks.
std::vector<LogTrack> in_order(LogTrack&& track, const LogOptions& options);

}  // namespace apf
