// How many seats a server shares, by the limits in its metrics.
#include <apf/setup.h>

#include <algorithm>
#include <cmath>

#include <apf/limits.h>

namespace apf {
namespace {

using Levels = std::map<std::string, ServerScrape::Level>;

constexpr double kMostSeats = 1e7;

int roundest(const std::vector<int>& numbers) {
  for (const int step : {1000, 500, 200, 100, 50, 20, 10, 5, 2})
    for (const int number : numbers)
      if (number % step == 0) return number;
  return numbers.front();
}

// Nominal limits are rounded up: they add up to the seats, or to less than one more for each level.
struct NominalSum {
  int least = 0, most = 0;
};
std::optional<NominalSum> sum_of(const Levels& levels) {
  double sum = 0;
  int count = 0;
  for (const auto& [name, level] : levels) {
    if (!level.nominal) continue;
    sum += *level.nominal;
    count += *level.nominal > 0 ? 1 : 0;
  }
  if (!(sum > 0) || sum > kMostSeats) return std::nullopt;
  const int most = static_cast<int>(std::lround(sum));
  return NominalSum{std::max(1, most - std::max(0, count - 1)), most};
}

// Of a level that borrows without bound. Levels that every server has do; of others the largest number, unless it is
// too small for the nominal limits, as that of a level with a bound.
std::optional<int> borrowed_by_all(const Levels& levels, const NominalSum& sum) {
  std::optional<int> most;
  for (const auto& [name, level] : levels) {
    if (!level.nominal || !level.upper || !(*level.upper <= 2 * kMostSeats)) continue;
    const int seats = static_cast<int>(std::lround(*level.upper - *level.nominal));
    if (name == "catch-all" || name == "exempt") return seats > 0 ? std::optional(seats) : std::nullopt;
    if (seats >= sum.least) most = std::max(most.value_or(0), seats);
  }
  const bool whole = levels.contains("catch-all");
  return most && (!whole || *most <= sum.most) ? most : std::nullopt;
}

bool gives(const Config& config, int seats, KubeVersion version, const Levels& levels) {
  const LimitsTable table = compute_limits(config, seats, version);
  return std::all_of(table.levels.begin(), table.levels.end(), [&](const LevelLimits& level) {
    const auto at = levels.find(level.name);
    if (at == levels.end() || !at->second.nominal)
      return level.exempt && level.nominal_cl == 0;  // not shown until 1.27
    return std::lround(*at->second.nominal) == level.nominal_cl;
  });
}

}  // namespace

std::optional<ScrapedSeats> seats_by_limits(const Levels& levels, const Config& config, KubeVersion version) {
  const std::optional<NominalSum> sum = sum_of(levels);
  if (!sum) return std::nullopt;
  if (const std::optional<int> seats = borrowed_by_all(levels, *sum))
    return ScrapedSeats{*seats, *seats, *seats, gives(config, *seats, version, levels)};
  std::vector<int> all, fitting;
  for (int seats = sum->least; seats <= sum->most; ++seats) {
    all.push_back(seats);
    if (gives(config, seats, version, levels)) fitting.push_back(seats);
  }
  // Of a part of the levels, the sum says nothing.
  if (fitting.empty() && !levels.contains("catch-all")) return std::nullopt;
  const std::vector<int>& candidates = fitting.empty() ? all : fitting;
  return ScrapedSeats{roundest(candidates), candidates.front(), candidates.back(), !fitting.empty()};
}

}  // namespace apf
