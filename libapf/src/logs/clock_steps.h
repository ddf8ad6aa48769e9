// A server's clock that is set back for good makes all that it writes afterwards too late to be put in order. Here the
// times of such a log go on from where they were.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "logs/prepared.h"

namespace apf {

class ClockSteps {
 public:
  // `window`: what comes that much later than its time says is merely out of order.
  explicit ClockSteps(Nanos window) : window_(window) {}

  // The next events of the log, as they stand there. Where as many in a row are late that it cannot be chance, their
  // times and all later ones are moved, until the clock is right again.
  void straighten(PreparedBatch& batch);
  void straighten(std::span<PreparedEvent* const> events);

  std::uint64_t steps() const { return steps_; }
  Nanos largest() const { return largest_; }

 private:
  bool is_step(std::span<PreparedEvent* const> rest) const;
  void move(PreparedEvent& event) const;

  Nanos window_;
  Nanos latest_ = INT64_MIN;  // moved
  Nanos offset_ = 0;
  std::uint64_t late_ = 0;  // in a row
  std::uint64_t steps_ = 0;
  Nanos largest_ = 0;
};

}  // namespace apf
