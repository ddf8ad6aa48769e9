// The parts of a replay's report that say how far it can be believed: its agreement with what the log recorded, the two
// logs of a joined replay, the spread under jitter.
#pragma once

#include <string>

#include <apf/json.h>
#include <apf/replay.h>
#include <apf/report.h>

namespace apf {

// For people; empty: there is nothing to compare, nothing was joined and the replay was run once.
std::string agreement_text(const ReplayReport& report, const TextStyle& style);
std::string spread_text(const ReplayReport& report, const TextStyle& style);

// The members "recorded", "join", "retries" and "spread".
void write_agreement(JsonWriter& json, const ReplayReport& report);

}  // namespace apf
