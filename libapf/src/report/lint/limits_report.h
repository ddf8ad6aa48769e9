// One level's limits, as all reports write them.
#pragma once

#include <optional>
#include <string>

#include <apf/limits.h>
#include <apf/output.h>

namespace apf {

// `reachable`: seats that it gets when all others lend what they may.
void write_level(JsonWriter& json, const LevelLimits& level, std::optional<int> reachable = std::nullopt);

// How the nominal limit comes about: "100 / 245 × 600 = 244.90".
std::string nominal_arithmetic(const LevelLimits& level, const LimitsTable& table);

}  // namespace apf
