// Figures as members of a JSON object: the same keys in all reports.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <apf/output.h>

#include "report/replay/ranges.h"

namespace apf {

void write_tally(JsonWriter& json, const TallyVersions& tally);
// `knows_bytes`: of lists.
void write_level_figures(JsonWriter& json, const Versions<LevelReport>& level, bool knows_bytes);

}  // namespace apf
