// Parts of a replay's report: the stages of the admission pipeline.
#pragma once

#include <string>

#include <apf/json.h>
#include <apf/report.h>

namespace apf {

void write_stages(JsonWriter& json, const ReplayReport& report);  // "stages", "maxInFlight" where it stands

// More than API Priority and Fairness alone.
bool has_other_stages(const ReplayReport& report);
std::string stages_text(const ReplayReport& report, const TextStyle& style);
// In place of levels and seats, where API Priority and Fairness is off.
std::string in_flight_text(const ReplayReport& report, const TextStyle& style);

}  // namespace apf
