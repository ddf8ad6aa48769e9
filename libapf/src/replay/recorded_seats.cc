// How many seats a server shared, by the nominal limits in its metrics.
#include <apf/server.h>

#include <algorithm>
#include <cmath>

#include <apf/limits.h>

namespace apf {

std::optional<int> seats_of(const ServerLoad& load, const Config& config) {
  double sum = 0;
  for (const auto& [name, level] : load.levels) sum += level.nominal.value_or(0);
  if (!(sum > 0) || sum > 1e7) return std::nullopt;
  // Each limit is rounded up, so that they add up to the seats or to less than one more for each level.
  const int most = static_cast<int>(std::lround(sum)), least = most - static_cast<int>(load.levels.size());
  for (int seats = std::max(1, least); seats <= most; ++seats) {
    const LimitsTable table = compute_limits(config, seats);
    const bool alike = std::all_of(table.levels.begin(), table.levels.end(), [&](const LevelLimits& level) {
      const auto at = load.levels.find(level.name);
      return at != load.levels.end() && at->second.nominal && std::lround(*at->second.nominal) == level.nominal_cl;
    });
    if (alike) return seats;
  }
  return std::nullopt;
}

}  // namespace apf
