// How many seats a server shared, by the nominal limits in its metrics.
#include <apf/server.h>

#include <algorithm>
#include <cmath>

#include <apf/limits.h>

#include "schedule/level_state.h"

namespace apf {

std::optional<int> seats_of(const ServerLoad& load, const Config& config) {
  double sum = 0;
  for (const auto& [name, level] : load.levels) sum += level.nominal.value_or(0);
  if (!(sum > 0) || sum > 1e7) return std::nullopt;
  std::map<std::string, int> nominal;
  for (const auto& [name, level] : load.levels)
    if (level.nominal) nominal[name] = static_cast<int>(std::lround(*level.nominal));
  // Each limit is rounded up, so that they add up to the seats or to less than one more for each level.
  const int most = static_cast<int>(std::lround(sum)), least = most - static_cast<int>(load.levels.size());
  for (int seats = std::max(1, least); seats <= most; ++seats)
    if (has_nominal_limits(compute_limits(config, seats), nominal)) return seats;
  return std::nullopt;
}

}  // namespace apf
