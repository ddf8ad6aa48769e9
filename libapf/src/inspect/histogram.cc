// Quantiles of a server's histograms, as bounds.
#include <apf/inspect.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace apf {

std::optional<InspectedHistogram::Bounds> InspectedHistogram::quantile(double q) const {
  double all = 0;
  for (const auto& [bound, up_to] : buckets) all = std::max(all, up_to);
  if (!(all > 0)) return std::nullopt;
  const double rank = std::max(1.0, std::ceil(q * all));
  double low = 0;
  for (const auto& [bound, up_to] : buckets) {
    if (up_to >= rank) return Bounds{low, std::max(low, bound)};
    low = std::max(low, bound);
  }
  return Bounds{low, std::numeric_limits<double>::infinity()};
}

}  // namespace apf
