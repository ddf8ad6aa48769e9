#include "replay/store/similar_executions.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/prefetch.h"
#include "base/scatter.h"

namespace apf {

namespace {

constexpr unsigned kExecutionStepBits = 3;
// How far the mean of few requests may be off at most.
constexpr double kLeastFactor = 0.25, kMostFactor = 4;
// Fewer executions say nothing of a time, and smaller differences may be by chance.
constexpr std::uint64_t kLeastForPace = 10;
constexpr std::size_t kNeighbours = 4;  // spans on each side
constexpr double kNoticedPace = 1.5;

std::uint32_t step_of(Nanos execution) {
  const auto value = static_cast<std::uint64_t>(std::max<Nanos>(execution, 1));
  const auto octave = static_cast<unsigned>(std::bit_width(value) - 1);
  const std::uint64_t part =
      octave >= kExecutionStepBits ? value >> (octave - kExecutionStepBits) : value << (kExecutionStepBits - octave);
  return static_cast<std::uint32_t>(octave << kExecutionStepBits) +
         static_cast<std::uint32_t>(part - (1u << kExecutionStepBits));
}

// About normally distributed, with mean 0 and deviation 1.
double normal(std::uint64_t seed) {
  double sum = 0;
  for (std::uint64_t i = 0; i < 12; ++i) sum += unit(seed, i);
  return sum - 6;
}

}  // namespace

SimilarExecutions::Step& SimilarExecutions::step(Kind& kind, std::uint32_t number) {
  if (kind.steps.empty()) kind.first = number;
  if (number < kind.first) {
    kind.steps.insert(kind.steps.begin(), kind.first - number, Step());
    kind.first = number;
  }
  const std::size_t at = number - kind.first;
  if (at >= kind.steps.size()) kind.steps.resize(at + 1);
  return kind.steps[at];
}

void SimilarExecutions::add(Kind& kind, Nanos execution, Nanos received) {
  Step& at = step(kind, step_of(execution));
  const auto value = static_cast<double>(execution);
  ++at.count;
  at.sum += value;
  ++kind.count;
  kind.sum += value;
  kind.squares += value * value;
  kind.oldest = std::min(kind.oldest, received);
}

void SimilarExecutions::add(Kind& kind, const Kind& other) {
  for (std::size_t i = 0; i < other.steps.size(); ++i) {
    const Step& from = other.steps[i];
    if (from.count == 0) continue;
    Step& at = step(kind, other.first + static_cast<std::uint32_t>(i));
    at.count += from.count;
    at.sum += from.sum;
  }
  kind.count += other.count;
  kind.sum += other.sum;
  kind.squares += other.squares;
  kind.oldest = std::min(kind.oldest, other.oldest);
}

void SimilarExecutions::take_in() {
  if (new_.empty()) return;
  for (const New& it : new_) by_user_.fetch(it.key);
  for (New& it : new_) {
    std::size_t& place = by_user_[it.key];
    if (place == 0) {
      kinds_.emplace_back(it.service);
      place = kinds_.size();
    }
    it.kind = static_cast<std::uint32_t>(place - 1);
    prefetch(kinds_[it.kind]);
  }
  for (const New& it : new_) {
    const Kind& kind = kinds_[it.kind];
    const std::uint32_t number = step_of(it.execution) - kind.first;
    if (number < kind.steps.size()) prefetch(kind.steps[number]);
  }
  for (const New& it : new_) {
    add(kinds_[it.kind], it.execution, it.at);
    add_to_span(kinds_[it.kind], it.execution, it.at);
  }
  new_.clear();
}

std::size_t SimilarExecutions::span_of(Nanos at) const {
  return at <= begin_ ? 0 : static_cast<std::size_t>((at - begin_) / width_);
}

void SimilarExecutions::add_to_span(Kind& kind, Nanos execution, Nanos at) {
  if (begin_ == kNoTime) begin_ = at;
  const auto halve = [](auto& values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i / 2] = i % 2 == 0 ? values[i] : values[i / 2] + values[i];
    values.resize((values.size() + 1) / 2);
  };
  for (; span_of(at) >= kMostSpans; width_ *= 2) {
    halve(sums_);
    for (Kind& each : kinds_) halve(each.in_spans);
  }
  const std::size_t span = span_of(at);
  if (sums_.size() <= span) sums_.resize(span + 1);
  if (kind.in_spans.size() <= span) kind.in_spans.resize(span + 1);
  sums_[span] += static_cast<double>(execution);
  ++kind.in_spans[span];
}

// What executions in a span add up to, against as many of the same kinds of any time.
void SimilarExecutions::find_paces() {
  std::vector<double> usual(sums_.size());
  std::vector<std::uint64_t> counts(sums_.size());
  for (const Kind& kind : kinds_)
    for (std::size_t i = 0; i < kind.in_spans.size(); ++i) {
      usual[i] += kind.in_spans[i] * kind.sum / static_cast<double>(kind.count);
      counts[i] += kind.in_spans[i];
    }
  paces_.assign(sums_.size(), 1);
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    std::uint64_t count = 0;
    double ran = 0, expected = 0;
    // With its neighbours, as far as they are needed.
    for (std::size_t away = 0; away <= kNeighbours && count < kLeastForPace; ++away)
      for (const std::size_t j : {i - away, i + away}) {
        if (j >= sums_.size() || (away == 0 && count > 0)) continue;
        count += counts[j];
        ran += sums_[j];
        expected += usual[j];
      }
    const double pace = expected > 0 ? ran / expected : 1;
    if (count >= kLeastForPace && (pace > kNoticedPace || pace < 1 / kNoticedPace)) paces_[i] = pace;
  }
}

void SimilarExecutions::finish() {
  take_in();
  find_paces();
  Kind all(0);
  const std::size_t of_users = kinds_.size();
  for (std::size_t i = 0; i < of_users; ++i) {
    const auto [at, is_new] = by_service_.try_emplace(kinds_[i].service, kinds_.size());
    if (is_new) kinds_.emplace_back(kinds_[i].service);
    add(kinds_[at->second], kinds_[i]);
    add(all, kinds_[i]);
  }
  if (of_users > 0) kinds_.push_back(std::move(all));
}

Nanos SimilarExecutions::Draws::next_of(std::size_t number_of_kind) {
  const Kind& kind = of_.kinds_[number_of_kind];
  const auto count = static_cast<double>(kind.count);
  // Numbers of users and services depend on the order of the log's lines: the oldest request does not.
  const std::uint64_t own = scattered(seed_, static_cast<std::uint64_t>(kind.oldest)),
                      number = taken_[number_of_kind]++;
  double rank = 0, factor = 1;
  if (seed_ == 0) {
    rank = even(own, number);
  } else {
    rank = unit(own, number);
    const double mean = kind.sum / count, variance = std::max(kind.squares / count - mean * mean, 0.0);
    if (mean > 0) factor = std::clamp(1 + normal(own) * std::sqrt(variance / count) / mean, kLeastFactor, kMostFactor);
  }
  auto left = static_cast<std::uint64_t>(rank * count);
  const Step* at = kind.steps.data();
  for (; left >= at->count && at != &kind.steps.back(); ++at) left -= at->count;
  return static_cast<Nanos>(factor * at->sum / static_cast<double>(at->count));
}

Nanos SimilarExecutions::Draws::next(std::uint32_t user, std::uint32_t service, Nanos at, Nanos none) {
  if (of_.kinds_.empty()) return none;
  const auto known = of_.by_service_.find(service);
  const std::size_t* const place = of_.by_user_.find(key_of(user, service));
  const Nanos usual = place                            ? next_of(*place - 1)
                      : known != of_.by_service_.end() ? next_of(known->second)
                                                       : next_of(of_.kinds_.size() - 1);
  const double pace = of_.pace_at(at);
  return pace == 1 ? usual : static_cast<Nanos>(pace * static_cast<double>(usual));
}

}  // namespace apf
