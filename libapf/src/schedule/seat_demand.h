// The seat demand of a level integrated over time: average, standard deviation, watermarks
// (k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/integrator.go, v1.36).
#pragma once

#include <cstdint>

#include <apf/time.h>

namespace apf {

struct SeatDemandStats {
  double duration = 0;  // seconds
  double avg = 0;       // seats; NaN over an empty period
  double stdev = 0;     // seats; NaN over an empty period or from a tiny negative variance
  double min = 0, max = 0;
};

class SeatDemandIntegrator {
 public:
  explicit SeatDemandIntegrator(Nanos start = 0) : last_(start) {}

  void set(Nanos now, double seats) {
    if (now != last_) advance(now);
    x_ = seats;
    if (x_ < min_) min_ = x_;
    if (x_ > max_) max_ = x_;
  }
  void add(Nanos now, double seats) { set(now, x_ + seats); }
  SeatDemandStats get(Nanos now);
  // As get, and a new period starts from the current value.
  SeatDemandStats reset(Nanos now);
  double current() const { return x_; }
  // A period has just begun.
  bool is_fresh(Nanos now) const { return last_ == now && duration_ == 0 && min_ == x_ && max_ == x_; }

 private:
  void advance(Nanos now) {
    const Nanos elapsed = now - last_;
    // Whole seconds and the rest apart, as Go's Duration.Seconds does it.
    double d = 0;
    if (elapsed < kSecond && elapsed >= 0) [[likely]] {
      d = static_cast<double>(elapsed) / 1e9;
    } else {
      d = static_cast<double>(elapsed / kSecond) + static_cast<double>(elapsed % kSecond) / 1e9;
    }
    last_ = now;
    duration_ += d;
    integral_x_ += x_ * d;
    integral_xx_ += x_ * x_ * d;
  }
  Nanos last_;
  double duration_ = 0, integral_x_ = 0, integral_xx_ = 0;
  double x_ = 0, min_ = 0, max_ = 0;
};

}  // namespace apf
