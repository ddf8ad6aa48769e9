// Histograms with the bounds that kube-apiserver's metrics have.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include <apf/time.h>

namespace apf {

inline constexpr std::size_t kMostBounds = 24;

// Observations one by one.
class BucketCounts {
 public:
  explicit BucketCounts(std::span<const double> bounds) : bounds_(bounds) {}
  void add(double value, std::uint64_t times = 1) {
    counts_[static_cast<std::size_t>(std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin())] +=
        times;
    count_ += times;
    sum_ += value * static_cast<double>(times);
  }
  std::span<const double> bounds() const { return bounds_; }
  std::span<const std::uint64_t> counts() const { return {counts_.data(), bounds_.size() + 1}; }
  std::uint64_t count() const { return count_; }
  double sum() const { return sum_; }

 private:
  std::span<const double> bounds_;
  std::array<std::uint64_t, kMostBounds + 1> counts_{};
  std::uint64_t count_ = 0;
  double sum_ = 0;
};

// What releases before 1.25 have in place of TimingRatio: the ratio at the end of each millisecond, and the least and
// the most in it (k8s.io/apiserver/pkg/util/flowcontrol/metrics/sample_and_watermark.go, v1.24).
class CountSamples {
 public:
  explicit CountSamples(Nanos begin) : begin_(begin) {}
  // It was `ratio` until `now`.
  void advance(Nanos now, double ratio) {
    const Nanos period = (now - begin_) / kMillisecond;
    if (period <= period_) return;
    const auto passed = static_cast<std::uint64_t>(period - period_);
    samples_.add(ratio, passed);
    low_.add(least_, 1);
    low_.add(ratio, passed - 1);
    high_.add(most_, 1);
    high_.add(ratio, passed - 1);
    least_ = most_ = ratio;
    period_ = period;
    is_new_ = true;
  }
  // It is `ratio` from the time advanced to. With the first change of a millisecond what was before is forgotten.
  void change(double ratio) {
    least_ = is_new_ ? ratio : std::min(least_, ratio);
    most_ = is_new_ ? ratio : std::max(most_, ratio);
    is_new_ = false;
  }
  const BucketCounts& samples() const { return samples_; }
  const BucketCounts& low() const { return low_; }
  const BucketCounts& high() const { return high_; }

 private:
  static constexpr double kBounds[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
  BucketCounts samples_{kBounds}, low_{kBounds}, high_{kBounds};
  Nanos begin_;
  Nanos period_ = 0;  // number of the running one
  double least_ = 0, most_ = 0;
  bool is_new_ = false;
};

// A ratio that holds over time: each nanosecond is one observation of it
// (k8s.io/component-base/metrics/prometheusextension, v1.36).
class TimingRatio {
 public:
  explicit TimingRatio(std::span<const double> bounds) : times_(bounds) {}
  void start(Nanos now) { last_ = now; }
  // Also count it as releases before 1.25 do.
  void take_samples() { samples_ = std::make_unique<CountSamples>(last_); }
  const CountSamples* samples() const { return samples_.get(); }
  void add(Nanos now, double change) {
    advance(now);
    numerator_ += change;
    if (samples_) samples_->change(numerator_ / denominator_);
  }
  void set_denominator(Nanos now, double denominator) {
    if (denominator == denominator_) return;
    advance(now);
    denominator_ = denominator;
    if (samples_) samples_->change(numerator_ / denominator_);
  }
  void advance(Nanos now) {
    if (now <= last_) return;
    const auto elapsed = static_cast<std::uint64_t>(now - last_);
    last_ = now;
    const double ratio = numerator_ / denominator_;
    if (samples_) samples_->advance(now, ratio);
    times_.add(ratio, elapsed);
  }
  const BucketCounts& times() const { return times_; }  // in ns

 private:
  BucketCounts times_;
  Nanos last_ = 0;
  double numerator_ = 0, denominator_ = 1;
  std::unique_ptr<CountSamples> samples_;  // null: not wanted
};

}  // namespace apf
