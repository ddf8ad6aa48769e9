#include "replay/engine/central_run.h"

#include <algorithm>
#include <cmath>

namespace apf {

namespace {

// What differs by less is as good as the same; what differs by more than three times as much is quite different,
// however far it is.
constexpr double kShare = 0.1, kLeastRejected = 5, kLeastWait = 30e6, kMost = 3;

double apart(double a, double b, double least) {
  return std::min(std::abs(a - b) / std::max(least, kShare * (a + b) / 2), kMost);
}

}  // namespace

bool nothing_waits(const ReplayReport& report) { return report.total.queued == 0 && report.total.rejected() == 0; }

void CentralRun::add(const ReplayReport& report) {
  Levels& levels = runs_.emplace_back();
  for (const LevelReport& level : report.levels) {
    const RequestTally& tally = level.tally;
    levels.push_back(
        {static_cast<double>(tally.rejected()), tally.wait.mean(), static_cast<double>(tally.wait.quantile(0.99))});
  }
}

double CentralRun::distance(const Levels& a, const Levels& b) {
  double sum = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    sum += apart(a[i].rejected, b[i].rejected, kLeastRejected) + apart(a[i].mean_wait, b[i].mean_wait, kLeastWait) +
           apart(a[i].p99_wait, b[i].p99_wait, kLeastWait);
  return sum;
}

std::size_t CentralRun::number() const {
  std::size_t best = 0;
  double least = INFINITY;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    double sum = 0;
    for (const Levels& other : runs_) sum += distance(runs_[i], other);
    if (sum < least) {
      least = sum;
      best = i;
    }
  }
  return best;
}

}  // namespace apf
