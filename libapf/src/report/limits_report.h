// One level's limits, as all reports write them.
#pragma once

#include <string>

#include <apf/limits.h>
#include <apf/output.h>

namespace apf {

void write_level(JsonWriter& json, const LevelLimits& level);

// How the nominal limit comes about: "100 / 245 × 600 = 244.90".
std::string nominal_arithmetic(const LevelLimits& level, const LimitsTable& table);

}  // namespace apf
