// The search with two levers at once: steps of one, and for each of them as little of the other as meets the goals.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "advise/search_state.h"

namespace apf {

class PairSearch {
 public:
  explicit PairSearch(SearchState& state) : state_(state) {}

  // What reaches the goals, but lint objects to it: with other sizes of levels that isolate anyway, which cost nothing
  // more.
  void sizes();
  // Of the levers that help most.
  void pairs();

 private:
  using Ranked = SearchState::Ranked;
  using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;  // of those that are ranked
  static constexpr std::size_t kNone = SearchState::kNone;

  std::size_t largest_fit(const Plan& rest, const Lever& lever, std::size_t most);
  std::vector<std::size_t> steps(const Lever& first, const Lever& second, std::size_t count);
  std::vector<std::size_t> best_values(const Lever& choice, std::size_t count);
  void follow(const Pairs& pairs);
  void follow(const Lever& first, const Lever& second);
  void follow(const Lever& first, const Lever& second, const std::vector<std::size_t>& steps);

  SearchState& state_;
};

}  // namespace apf
