// The logs that a command names, and what they say of the server that wrote them.
#pragma once

#include <string>
#include <vector>

#include <apf/logs.h>
#include <apf/setup.h>

#include "flags/options.h"
#include "shared/command_line.h"

namespace apfctl {

struct ReplayFlags;

// Folders and archives become the logs in them; what is left out is said. `texts`: those of archives.
void find_logs_in(std::vector<std::string>& logs, apf::LogTexts& texts, const Console& console);

// What no flag says of the server is taken from what is known of it, else from its own log: seats, time-outs, gates,
// its release, and whether API Priority and Fairness was on. `log`: which logs there are, and how they are read. Throws
// apf::Error where the two contradict each other. Returns all that is known of it.
apf::KnownServer take_server_flags(ReplayFlags& flags, const apf::KnownServer& known, const apf::LogOptions& log);

}  // namespace apfctl
