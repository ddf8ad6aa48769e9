#include "replay/similar_executions.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/scatter.h"

namespace apf {

namespace {

constexpr unsigned kStepBits = 3;
// How far the mean of few requests may be off at most.
constexpr double kLeastFactor = 0.25, kMostFactor = 4;

std::uint32_t step_of(Nanos execution) {
  const auto value = static_cast<std::uint64_t>(std::max<Nanos>(execution, 1));
  const auto octave = static_cast<unsigned>(std::bit_width(value) - 1);
  const std::uint64_t part = octave >= kStepBits ? value >> (octave - kStepBits) : value << (kStepBits - octave);
  return static_cast<std::uint32_t>(octave << kStepBits) + static_cast<std::uint32_t>(part - (1u << kStepBits));
}

// About normally distributed, with mean 0 and deviation 1.
double normal(std::uint64_t seed) {
  double sum = 0;
  for (std::uint64_t i = 0; i < 12; ++i) sum += unit(seed, i);
  return sum - 6;
}

}  // namespace

void SimilarExecutions::add(Kind& kind, Nanos execution) {
  const std::uint32_t step = step_of(execution);
  auto at = std::lower_bound(kind.steps.begin(), kind.steps.end(), step,
                             [](const Step& s, std::uint32_t number) { return s.step < number; });
  if (at == kind.steps.end() || at->step != step) at = kind.steps.insert(at, Step{step});
  const auto value = static_cast<double>(execution);
  ++at->count;
  at->sum += value;
  ++kind.count;
  kind.sum += value;
  kind.squares += value * value;
}

void SimilarExecutions::add(std::uint64_t user_and_service, std::uint32_t service, Nanos execution) {
  add(by_user_[user_and_service], execution);
  add(by_service_[service], execution);
  add(all_, execution);
}

void SimilarExecutions::rewind(std::uint64_t seed) {
  seed_ = seed;
  for (auto* kinds : {&by_user_, &by_service_})
    for (auto& [key, kind] : *kinds) kind.taken = 0;
  all_.taken = 0;
}

Nanos SimilarExecutions::next(std::uint64_t key, Kind& kind) const {
  const auto count = static_cast<double>(kind.count);
  const std::uint64_t own = scattered(seed_, key), number = kind.taken++;
  double rank = 0, factor = 1;
  if (seed_ == 0) {
    rank = even(own, number);
  } else {
    rank = unit(own, number);
    const double mean = kind.sum / count, variance = std::max(kind.squares / count - mean * mean, 0.0);
    if (mean > 0) factor = std::clamp(1 + normal(own) * std::sqrt(variance / count) / mean, kLeastFactor, kMostFactor);
  }
  auto left = static_cast<std::uint64_t>(rank * count);
  const Step* step = kind.steps.data();
  for (; left >= step->count && step != &kind.steps.back(); ++step) left -= step->count;
  return static_cast<Nanos>(factor * step->sum / static_cast<double>(step->count));
}

Nanos SimilarExecutions::next(std::uint64_t user_and_service, std::uint32_t service, Nanos none) {
  if (const auto it = by_user_.find(user_and_service); it != by_user_.end()) return next(it->first, it->second);
  if (const auto it = by_service_.find(service); it != by_service_.end()) return next(it->first, it->second);
  return all_.count > 0 ? next(0, all_) : none;
}

}  // namespace apf
