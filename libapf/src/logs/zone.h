// klog writes no time zone: how far the clock of a server's own log is from that of its audit log, found by requests
// that both tell of.
#pragma once

#include <vector>

#include <apf/replay.h>

#include "logs/input.h"

namespace apf {

// What to add to times of the HTTP log: whole quarters of an hour, 0 where nothing tells otherwise. Reads the
// beginnings of logs that can be read twice.
Nanos find_zone(const std::vector<LogTrack>& tracks, const std::vector<std::string>& logs, int log_year);

}  // namespace apf
