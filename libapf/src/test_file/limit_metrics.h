// The figures of a priority level that a test file may ask for.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <apf/limits.h>

namespace apf {

struct LimitMetric {
  std::string_view name;
  std::int64_t (*of)(const LevelLimits& level);
};

std::span<const LimitMetric> limit_metrics();
// Null if there is none.
const LimitMetric* find_limit_metric(std::string_view name);

}  // namespace apf
