// What a search knows so far, and how it turns one lever.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "advise/levers.h"
#include "advise/trials.h"

namespace apf {

struct SearchState {
  Trials& trials;
  Plan fixed = {};  // levels that every plan has
  std::vector<Lever> levers = {};
  // A lever, and the value at which it helps most.
  struct Ranked {
    std::size_t lever = 0, index = 0;
    Trial trial;
    bool reaches = false;  // the goals, with some value: lint may object to it
  };
  std::vector<Ranked> ranked = {};  // that help most first
  std::vector<Trial> tried = {};
  std::optional<Trial> best = {};
  std::optional<Trial> harmful = {};  // the best that meets the goals, and refuses protected clients for it
  bool proving = false;               // plans are no answers any more

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  static constexpr double kLeastOfField = 1;  // what a field costs at least

  void offer(const Trial& trial);
  double best_cost() const;
  Plan set(const Plan& plan, const Lever& lever, std::size_t index) const;
  // The smallest value after `missed` (kNone: none is known) with which the rest of the plan meets the goals; `met`
  // does. `fit`: it may be suggested, too; else none is known that may.
  std::size_t weaken(const Plan& rest, const Lever& lever, std::size_t missed, std::size_t met, bool fit = true);
  // The largest value with which the plan stays cheaper than the best one; kNone: there is none.
  std::size_t affordable(const Plan& rest, const Lever& lever) const;
};

}  // namespace apf
