#include "report/lint/preset_seats.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <apf/lint.h>
#include <apf/settings.h>
#include <fmt/core.h>

#include "report/core/units.h"

namespace apf {

namespace {

int seats_of(const Preset& preset) {
  if (preset.server_concurrency) return *preset.server_concurrency;
  return preset.max_requests_inflight && preset.max_mutating_requests_inflight
             ? *preset.max_requests_inflight + *preset.max_mutating_requests_inflight
             : 0;
}

}  // namespace

std::string presets_with(double needed) {
  std::vector<std::pair<int, std::string>> enough;
  for (const Preset& preset : presets())
    if (const int seats = seats_of(preset); seats >= needed) enough.emplace_back(seats, preset.name);
  if (enough.empty()) return {};
  std::stable_sort(enough.begin(), enough.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string out;
  for (const auto& [seats, name] : enough)
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", name, grouped(seats));
  return "Presets of providers that have them, smallest first: " + out + ".";
}

}  // namespace apf
