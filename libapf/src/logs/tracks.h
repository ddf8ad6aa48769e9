// The logs of one server sorted by what they hold: tracks, each of which is read for itself.
#pragma once

#include <string>
#include <vector>

#include <apf/logs.h>

#include "logs/log_format.h"
#include "logs/log_track.h"

namespace apf {

// Sorts files by their content, audit logs first; the parts of a rotated log by the time they begin at. A pipe, which
// can be read but once, is a track of its own. Logs whose lines were found to be out of order are put in order, as
// LogOrder has it.
std::vector<LogTrack> sort_into_tracks(const LogOptions& options);

// Do the tracks hold the same requests twice, as audit events and as lines of the HTTP log?
bool are_joined(const std::vector<LogTrack>& tracks);

}  // namespace apf
