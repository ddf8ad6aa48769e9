// The first sentences of every report of a replay: what happened, to whom, and why.
#pragma once

#include <string>
#include <vector>

#include <apf/replays_report.h>

#include "report/core/writers.h"

namespace apf {

Verdict verdict_of(const ReplayReport& report);

// Requests were refused or waited at this level, in any of the report's replays.
bool refuses_or_waits(const LevelReport& level, const ReplayReport& report);
bool refuses_or_waits(const RequestTally& tally);
// Those where most requests were refused first, then where they waited longest in sum, then by seat-seconds.
std::vector<const LevelReport*> worst_first(const ReplayReport& report);

}  // namespace apf
