// The search for the smallest change that meets goals: single levers, then pairs, then more, each as weak as it may be.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/search_state.h"

namespace apf {

class Search {
 public:
  // `fixed`: levels that every plan has.
  Search(Trials& trials, Plan fixed, int most_seats);

  void run();
  // The smallest change that meets the goals.
  const std::optional<Trial>& best() const { return state_.best; }
  // The smallest that meets them and must not be suggested in silence: it refuses protected clients.
  const std::optional<Trial>& harmful() const { return state_.harmful; }
  // All that was tried, those that come nearest first.
  std::vector<Trial> others() const;
  // Whatever may help, at once.
  const Plan& everything() const { return everything_; }
  const Plan& fixed() const { return state_.fixed; }

  // A plan that meets the goals, less changes that are not needed for that.
  Plan without_needless(const Plan& met);
  // The plan with the fewest seats with which it meets the goals; nothing: not up to `most`. Ends the search.
  std::optional<Trial> least_seats(const Plan& plan, int most);

 private:
  using Ranked = SearchState::Ranked;
  static constexpr std::size_t kNone = SearchState::kNone;

  void singles();
  void below_best();
  void triples();
  // From so many plans, at most.
  void climb(std::size_t most);
  void climb(const Trial& start, const std::vector<SuggestChange>& all);
  void polish();

  SearchState state_;
  Plan everything_;
};

}  // namespace apf
