// Figures as members of a JSON object: the same keys in all reports.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <apf/output.h>

#include "report/ranges.h"

namespace apf {

void write_tally(JsonWriter& json, const TallyVersions& tally);
// `knows_bytes`: of lists.
void write_level_figures(JsonWriter& json, const Versions<LevelReport>& level, bool knows_bytes);

// An object with a member for each.
void write_counts(JsonWriter& json, const char* key, const std::map<std::string, std::uint64_t>& counts);

}  // namespace apf
