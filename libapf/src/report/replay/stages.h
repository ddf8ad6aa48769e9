// Parts of a replay's report: the stages of the admission pipeline.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <apf/output.h>
#include <apf/replays_report.h>

#include "report/replay/ranges.h"

namespace apf {

void write_stages(JsonWriter& json, const ReplayReport& report);  // "stages", and "maxInFlight" if there is one
// All of a stage but its name; at most `top` of the users that it delayed and refused most, negative: nothing of users.
void write_stage(JsonWriter& json, const Versions<StageReport>& stage, int top);

// As count_cell() of report/core/units.h.
Table::Cell count_cell(const Range<std::uint64_t>& n, Tone tone);
// Of a mean: its nanoseconds cut off.
std::string delay_text(double nanos);
// How long the delayed ones were delayed; why the stage refused.
Table::Cell delay_cell(const Versions<StageReport>& stage, double quantile);
std::string reasons_text(const Versions<StageReport>& stage);

// More than API Priority and Fairness alone.
bool has_other_stages(const ReplayReport& report);
// Empty ones, or none: there are no other stages.
std::vector<Passage> stage_passages(const ReplayReport& report);
// In place of levels and seats, where API Priority and Fairness is off.
std::vector<Passage> in_flight_passages(const ReplayReport& report);

}  // namespace apf
