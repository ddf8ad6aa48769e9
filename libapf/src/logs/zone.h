// klog writes no time zone: how far the clock of a server's own log is from that of its audit log, found by requests
// that both have.
#pragma once

#include <vector>

#include <apf/logs.h>

#include "logs/tracks.h"

namespace apf {

// What to add to times of the HTTP log: whole quarters of an hour, 0 where the logs don't say. Reads the
// beginnings of logs that can be read twice.
Nanos find_zone(const std::vector<LogTrack>& tracks, const LogOptions& options);

}  // namespace apf
