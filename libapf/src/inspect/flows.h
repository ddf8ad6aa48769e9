// Flows of a dump: who holds the seats of a level and waits for them, in which queues, and whose hands overlap.
#pragma once

#include <apf/inspect.h>
#include <apf/limits.h>

namespace apf {

// Fills in what the requests of `dump` say of `level`. `limits`: its queues and hand size, null if not known;
// `given`: by the user, so that requests in other queues are worth a word.
void add_flows(const ServerDump& dump, const LevelLimits* limits, bool given, std::optional<Nanos> now,
               InspectedLevel& level);

}  // namespace apf
