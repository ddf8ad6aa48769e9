// Histograms with the bounds that kube-apiserver's metrics have.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include <apf/time.h>

namespace apf {

inline constexpr std::size_t kMostBounds = 24;

// Observations one by one.
class BucketCounts {
 public:
  explicit BucketCounts(std::span<const double> bounds) : bounds_(bounds) {}
  void add(double value) {
    ++counts_[static_cast<std::size_t>(std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin())];
    ++count_;
    sum_ += value;
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

// A ratio that holds over time: each nanosecond is one observation of it
// (k8s.io/component-base/metrics/prometheusextension, v1.36).
class TimingRatio {
 public:
  explicit TimingRatio(std::span<const double> bounds) : bounds_(bounds) {}
  void start(Nanos now) { last_ = now; }
  void add(Nanos now, double change) {
    advance(now);
    numerator_ += change;
  }
  void set_denominator(Nanos now, double denominator) {
    if (denominator == denominator_) return;
    advance(now);
    denominator_ = denominator;
  }
  void advance(Nanos now) {
    if (now <= last_) return;
    const auto elapsed = static_cast<std::uint64_t>(now - last_);
    last_ = now;
    const double ratio = numerator_ / denominator_;
    counts_[static_cast<std::size_t>(std::lower_bound(bounds_.begin(), bounds_.end(), ratio) - bounds_.begin())] +=
        elapsed;
    count_ += elapsed;
    sum_ += ratio * static_cast<double>(elapsed);
  }
  std::span<const double> bounds() const { return bounds_; }
  std::span<const std::uint64_t> counts() const { return {counts_.data(), bounds_.size() + 1}; }
  std::uint64_t count() const { return count_; }
  double sum() const { return sum_; }

 private:
  std::span<const double> bounds_;
  std::array<std::uint64_t, kMostBounds + 1> counts_{};
  std::uint64_t count_ = 0;
  Nanos last_ = 0;
  double numerator_ = 0, denominator_ = 1, sum_ = 0;
};

}  // namespace apf
