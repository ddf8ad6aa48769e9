// DurationDistribution: a histogram whose buckets are 1/64 of a power of two wide.
#include <apf/replay.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace apf {

namespace {

constexpr unsigned kStepBits = 6;
constexpr std::uint64_t kSteps = 1u << kStepBits;

// value >= 1. Below 64 ns a step is narrower than a nanosecond: octave 0 to 5 use a part of their steps.
struct Place {
  std::size_t octave, step;
};

Place place_of(std::uint64_t value) {
  const auto octave = static_cast<std::size_t>(std::bit_width(value) - 1);
  const std::uint64_t step = octave >= kStepBits ? value >> (octave - kStepBits) : value << (kStepBits - octave);
  return {octave, static_cast<std::size_t>(step - kSteps)};
}

Nanos middle_of(Place place) {
  const double low = std::ldexp(1.0, static_cast<int>(place.octave));
  return static_cast<Nanos>(low + (static_cast<double>(place.step) + 0.5) * low / kSteps);
}

}  // namespace

void DurationDistribution::add_to_octave(Nanos value) {
  if (value > max_) max_ = value;
  sum_seconds_ += static_cast<std::uint64_t>(value / kSecond);
  sum_nanos_ += static_cast<std::uint64_t>(value % kSecond);
  const Place place = place_of(static_cast<std::uint64_t>(value));
  if (octaves_.size() <= place.octave) octaves_.resize(place.octave + 1);
  auto& octave = octaves_[place.octave];
  if (octave.empty()) octave.resize(kSteps);
  ++octave[place.step];
}

void DurationDistribution::merge(const DurationDistribution& other) {
  count_ += other.count_;
  zeros_ += other.zeros_;
  max_ = std::max(max_, other.max_);
  sum_seconds_ += other.sum_seconds_;
  sum_nanos_ += other.sum_nanos_;
  if (octaves_.size() < other.octaves_.size()) octaves_.resize(other.octaves_.size());
  for (std::size_t i = 0; i < other.octaves_.size(); ++i) {
    if (other.octaves_[i].empty()) continue;
    if (octaves_[i].empty()) octaves_[i].resize(kSteps);
    for (std::size_t step = 0; step < kSteps; ++step) octaves_[i][step] += other.octaves_[i][step];
  }
}

double DurationDistribution::sum() const {
  return static_cast<double>(sum_seconds_) * 1e9 + static_cast<double>(sum_nanos_);
}

double DurationDistribution::mean() const { return count_ == 0 ? 0 : sum() / static_cast<double>(count_); }

std::uint64_t DurationDistribution::count_up_to(Nanos value) const {
  if (value < 0) return 0;
  if (value >= max_) return count_;
  std::uint64_t seen = zeros_;
  if (value == 0) return seen;
  const Place last = place_of(static_cast<std::uint64_t>(value));
  for (std::size_t octave = 0; octave < octaves_.size() && octave <= last.octave; ++octave) {
    for (std::size_t step = 0; step < octaves_[octave].size(); ++step) {
      if (octave == last.octave && step > last.step) break;
      seen += octaves_[octave][step];
    }
  }
  return seen;
}

Nanos DurationDistribution::quantile(double q) const {
  if (count_ == 0) return 0;
  const double wanted = std::ceil(q * static_cast<double>(count_));
  std::uint64_t rank = wanted < 1 ? 1 : static_cast<std::uint64_t>(wanted);
  if (rank >= count_) return max_;
  if (rank <= zeros_) return 0;
  std::uint64_t seen = zeros_;
  for (std::size_t octave = 0; octave < octaves_.size(); ++octave) {
    for (std::size_t step = 0; step < octaves_[octave].size(); ++step) {
      seen += octaves_[octave][step];
      if (seen >= rank) return std::min(max_, middle_of({octave, step}));
    }
  }
  return max_;
}

}  // namespace apf
