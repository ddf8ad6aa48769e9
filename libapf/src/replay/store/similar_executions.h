// How long requests run whose execution the log does not show, because they were refused in it or did not end: as long
// as others of the same user, verb and resource did. One time for all of them would make waits too short: what makes a
// queue long is that some requests run for much longer than others. So each takes one from their distribution.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include <apf/time.h>

#include "base/flat_map.h"
#include "base/hash.h"
#include "logs/log_event.h"

namespace apf {

class SimilarExecutions {
 public:
  // `service`: a key of verb and resource. `at`: when it arrived.
  void add(std::uint32_t user, std::uint32_t service, Nanos execution, Nanos at) {
    if (new_.size() == kMostNew) take_in();
    new_.push_back({key_of(user, service), execution, at, service, 0});
  }

  // Nothing more is added.
  void finish();
  class Draws;

 private:
  // Executions that are within an eighth of a power of two of each other.
  struct Step {
    std::uint64_t count = 0;
    double sum = 0;
  };
  struct Kind {
    explicit Kind(std::uint32_t of) : service(of) {}
    std::uint32_t service;
    std::uint32_t first = 0;  // number of the first step
    std::vector<Step> steps;  // from the least to the longest, those between that nothing fell into included
    std::uint64_t count = 0;
    double sum = 0, squares = 0;
    Nanos oldest = std::numeric_limits<Nanos>::max();  // arrival of its first request
    std::vector<std::uint32_t> in_spans;               // of the count, by span of time
  };
  static std::uint64_t key_of(std::uint32_t user, std::uint32_t service) {
    return mix64(user + 0x9e3779b97f4a7c15ULL, service + 0xa0761d6478bd642fULL);
  }
  struct New {
    std::uint64_t key;
    Nanos execution, at;
    std::uint32_t service;
    std::uint32_t kind;  // number in kinds_
  };
  static constexpr std::size_t kMostNew = 64;
  // Takes in what was added. Many together, as each is about something else: memory answers all of them at once.
  void take_in();
  static Step& step(Kind& kind, std::uint32_t number);
  static void add(Kind& kind, Nanos execution, Nanos at);
  static void add(Kind& kind, const Kind& other);
  std::size_t span_of(Nanos at) const;
  void add_to_span(Kind& kind, Nanos execution, Nanos at);
  void find_paces();
  // How many times as long executions were about then as they were over the whole log, of the same kinds; 1: about as
  // long.
  double pace_at(Nanos at) const { return paces_.empty() ? 1 : paces_[std::min(span_of(at), paces_.size() - 1)]; }

  std::vector<New> new_;
  FlatMap<std::size_t> by_user_;  // key_of() → place in kinds_, from 1 on
  std::vector<Kind> kinds_;       // with finish(), behind those of one user each, what users have in common, and all
  std::unordered_map<std::uint32_t, std::size_t> by_service_;  // places in kinds_
  // Spans of time, of one width, which doubles where there are too many.
  static constexpr std::size_t kMostSpans = 256;
  Nanos begin_ = kNoTime, width_ = kSecond;
  std::vector<double> sums_, paces_;  // by span
};

// Those that one replay takes, from the first one on. Seed 0: they follow the distribution as evenly as can be, and so
// keep its mean. Other seeds: they are drawn by chance, and what is known of few requests is as uncertain as it is.
class SimilarExecutions::Draws {
 public:
  // After finish(). Many may be made of the same ones, each of one thread.
  Draws(const SimilarExecutions& of, std::uint64_t seed) : of_(of), seed_(seed), taken_(of.kinds_.size()) {}

  // The execution of the next such request: as of the same user, verb and resource; if there is none, of the same verb
  // and resource; else of any request; `none` if nothing is known.
  // `at`: when it arrives. What all run longer then, it does.
  Nanos next(std::uint32_t user, std::uint32_t service, Nanos at, Nanos none);

 private:
  Nanos next_of(std::size_t kind);

  const SimilarExecutions& of_;
  const std::uint64_t seed_;
  std::vector<std::uint64_t> taken_;  // by kind
};

}  // namespace apf
