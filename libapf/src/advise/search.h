// The search for the smallest change that meets goals: single levers, then pairs, then more, each as weak as it may be.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/levers.h"
#include "advise/trials.h"

namespace apf {

class Search {
 public:
  // `fixed`: levels that every plan has.
  Search(Trials& trials, Plan fixed, int most_seats);

  void run();
  // The smallest change that meets the goals.
  const std::optional<Trial>& best() const { return best_; }
  // All that was tried, those that come nearest first.
  std::vector<Trial> others() const;
  // Whatever may help, at once.
  const Plan& everything() const { return everything_; }
  const Plan& fixed() const { return fixed_; }

  // The plan with the fewest seats with which it meets the goals; nothing: not up to `most`. Ends the search.
  std::optional<Trial> least_seats(const Plan& plan, int most);

 private:
  // A lever, and the value at which it helps most.
  struct Ranked {
    std::size_t lever = 0, index = 0;
    Trial trial;
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  void offer(const Trial& trial);
  double best_cost() const;
  Plan set(const Plan& plan, const Lever& lever, std::size_t index) const;
  // The smallest value after `missed` (kNone: none is known) with which the rest of the plan meets the goals; `met`
  // does. `fit`: it may be suggested, too; else none is known that may.
  std::size_t weaken(const Plan& rest, const Lever& lever, std::size_t missed, std::size_t met, bool fit = true);
  // The largest value with which the plan stays cheaper than the best one; kNone: there is none.
  std::size_t affordable(const Plan& rest, const Lever& lever) const;

  void tune_fixed();
  void singles();
  void below_best();
  void pairs();
  std::vector<std::size_t> even_steps(const Lever& first, const Lever& second, std::size_t count) const;
  void follow(const Lever& first, const Lever& second);
  void follow(const Lever& first, const Lever& second, const std::vector<std::size_t>& steps);
  void triples();
  // From so many plans, at most.
  void climb(std::size_t most);
  void climb(const Trial& start, const std::vector<SuggestChange>& all);
  void drop_needless(const Plan& plan);
  void polish();

  Trials& trials_;
  Plan fixed_;
  std::vector<Lever> levers_;
  std::vector<Ranked> ranked_;  // that help most first
  std::vector<Trial> tried_;
  std::optional<Trial> best_;
  Plan everything_;
  bool proving_ = false;
};

}  // namespace apf
