// Parts of a replay's report: the stages of the admission pipeline.
#pragma once

#include <string>
#include <vector>

#include <apf/json.h>
#include <apf/report.h>

#include "report/passage.h"

namespace apf {

void write_stages(JsonWriter& json, const ReplayReport& report);  // "stages", and "maxInFlight" if there is one
// All of a stage but its name; `requesters`: and the users it delayed and refused most.
void write_stage(JsonWriter& json, const StageReport& stage, bool requesters);

// More than API Priority and Fairness alone.
bool has_other_stages(const ReplayReport& report);
// Empty ones, or none: there are no other stages.
std::vector<Passage> stage_passages(const ReplayReport& report);
// In place of levels and seats, where API Priority and Fairness is off.
std::vector<Passage> in_flight_passages(const ReplayReport& report);

}  // namespace apf
