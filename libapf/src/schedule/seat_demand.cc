// The statistics of a period of seat demand (k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/integrator.go, v1.36).
#include "schedule/seat_demand.h"

#include <cmath>
#include <limits>

namespace apf {

SeatDemandStats SeatDemandIntegrator::get(Nanos now) {
  if (now != last_) advance(now);
  SeatDemandStats stats;
  stats.duration = duration_;
  stats.min = min_;
  stats.max = max_;
  if (duration_ <= 0) {
    stats.avg = stats.stdev = std::numeric_limits<double>::quiet_NaN();
    return stats;
  }
  stats.avg = integral_x_ / duration_;
  // The mean of the squares less the square of the mean: rounding can make it slightly negative.
  const double variance = integral_xx_ / duration_ - stats.avg * stats.avg;
  stats.stdev = variance >= 0 ? std::sqrt(variance) : std::numeric_limits<double>::quiet_NaN();
  return stats;
}

SeatDemandStats SeatDemandIntegrator::reset(Nanos now) {
  const SeatDemandStats stats = get(now);
  duration_ = integral_x_ = integral_xx_ = 0;
  min_ = max_ = x_;
  return stats;
}

}  // namespace apf
