#include "advise/search_state.h"

#include <cmath>

namespace apf {

void SearchState::offer(const Trial& trial) {
  if (!trial.done || proving) return;
  tried.push_back(trial);
  if (trial.meets_with_harm() && (!harmful || trial.better_than(*harmful))) harmful = trial;
  if (!trial.met() || (best && !trial.better_than(*best))) return;
  if (!best) trials.give_back();  // there is nothing to prove
  best = trial;
}

double SearchState::best_cost() const { return best ? best->cost : HUGE_VAL; }

Plan SearchState::set(const Plan& plan, const Lever& lever, std::size_t index) const {
  if (index != kNone) return with_change(plan, lever.at(index));
  const SuggestChange* const always = find_change(fixed, lever.change);
  return always ? with_change(plan, *always) : without_change(plan, lever.change);
}

std::size_t SearchState::weaken(const Plan& rest, const Lever& lever, std::size_t missed, std::size_t met, bool fit) {
  if (lever.is_choice) return met;
  std::size_t low = missed == kNone ? 0 : missed + 1;  // the first that may do
  while (low < met && !trials.stopped()) {
    const std::size_t middle = low + (met - low) / 2;
    const Trial trial = trials.run(set(rest, lever, middle));
    if (!trial.done) break;
    offer(trial);
    if (fit ? trial.met() : trial.miss <= 0) met = middle;
    else low = middle + 1;
  }
  return met;
}

std::size_t SearchState::affordable(const Plan& rest, const Lever& lever) const {
  std::size_t count = 0;
  for (std::size_t step = lever.values.size(); step > 0; step /= 2)
    while (count + step <= lever.values.size() && cost_of(set(rest, lever, count + step - 1)) < best_cost() - 1e-9)
      count += step;
  return count == 0 ? kNone : count - 1;
}

}  // namespace apf
