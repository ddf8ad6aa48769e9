#include "advise/pair_search.h"

#include <algorithm>

#include "base/sort_stably.h"

namespace apf {

namespace {

constexpr std::size_t kPaired = 6;    // levers of which pairs are tried
constexpr std::size_t kFewSteps = 4;  // of the first of a pair, to see whether it is worth it
constexpr std::size_t kSteps = 16;

}  // namespace

// Steps of one lever, and for each of them as little of the other as meets the goals: what costs no less than the best
// so far is left out.
void PairSearch::follow(const Lever& first, const Lever& second, const std::vector<std::size_t>& steps) {
  for (const std::size_t step : steps) {
    if (state_.trials.stopped()) return;
    const Plan rest = state_.set(state_.fixed, first, step);
    const std::size_t most = second.is_choice ? second.values.size() - 1 : state_.affordable(rest, second);
    if (most == kNone || cost_of(state_.set(rest, second, 0)) >= state_.best_cost()) continue;
    const std::size_t top = largest_fit(rest, second, most);
    if (top == kNone) continue;
    const Trial trial = state_.trials.run(state_.set(rest, second, top));
    if (!trial.done) return;
    state_.offer(trial);
    if (trial.met()) state_.weaken(rest, second, kNone, top);
  }
}

// The largest value up to `most` to which nobody objects, if smaller ones are fit, too: it takes no replay.
std::size_t PairSearch::largest_fit(const Plan& rest, const Lever& lever, std::size_t most) {
  const auto is_fit = [&](std::size_t value) {
    return state_.trials.lint().objection(state_.set(rest, lever, value)).empty();
  };
  if (is_fit(most)) return most;
  std::size_t count = 0;
  for (std::size_t unfit = most; count < unfit;) {
    const std::size_t middle = count + (unfit - count) / 2;
    if (is_fit(middle)) count = middle + 1;
    else unfit = middle;
  }
  return count == 0 ? kNone : count - 1;
}

// Of a choice the values that do best alone.
std::vector<std::size_t> PairSearch::best_values(const Lever& choice, std::size_t count) {
  std::vector<Plan> plans;
  for (std::size_t i = 0; i < choice.values.size(); ++i) plans.push_back(state_.set(state_.fixed, choice, i));
  const std::vector<Trial> trials = state_.trials.run(plans);
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (trials[i].done) out.push_back(i);
  sort_stably(out, [&](std::size_t a, std::size_t b) { return trials[a].better_than(trials[b]); });
  if (out.size() > count) out.resize(count);
  return out;
}

// Steps of a lever that are even in what they cost, as far as they are cheaper than the best so far beside the least of
// the other lever, and the last of these.
std::vector<std::size_t> PairSearch::steps(const Lever& first, const Lever& second, std::size_t count) {
  if (first.is_choice) return best_values(first, count);
  std::vector<std::size_t> out;
  const std::size_t most = state_.affordable(state_.set(state_.fixed, second, 0), first);
  if (most == kNone) return out;
  double last = 0;
  const double least = cost_of(state_.set(state_.fixed, first, 0)),
               width = cost_of(state_.set(state_.fixed, first, most)) - least;
  for (std::size_t i = 0; i <= most; ++i) {
    const double cost = cost_of(state_.set(state_.fixed, first, i));
    if (i > 0 && cost < last + width / static_cast<double>(count)) continue;
    last = cost;
    out.push_back(i);
  }
  if (out.back() != most) out.push_back(most);
  return out;
}

// A few steps first; where one of them is better than the best so far, more of them, and finer ones around it.
void PairSearch::follow(const Lever& first, const Lever& second) {
  const double before = state_.best_cost();
  follow(first, second, steps(first, second, kFewSteps));
  if (state_.best_cost() >= before) return;
  const std::vector<std::size_t> more = steps(first, second, kSteps);
  follow(first, second, more);
  if (first.is_choice) return;
  const SuggestChange* const mine = find_change(state_.best->plan, first.change);
  if (!mine) return;
  const auto value = std::find(first.values.begin(), first.values.end(), mine->to);
  if (value == first.values.end()) return;
  const auto at = static_cast<std::size_t>(value - first.values.begin());
  const auto above = std::upper_bound(more.begin(), more.end(), at);
  const auto same = std::lower_bound(more.begin(), more.end(), at);
  const std::size_t from = same == more.begin() ? 0 : *std::prev(same) + 1;
  const std::size_t to = above == more.end() ? at + 1 : *above;
  std::vector<std::size_t> fine;
  for (std::size_t i = from; i < to; i += std::max<std::size_t>(1, (to - from) / (kSteps / 2))) fine.push_back(i);
  follow(first, second, fine);
}

void PairSearch::sizes() {
  for (std::size_t i = 0; i < state_.ranked.size(); ++i) {
    const SuggestChange& size = state_.levers[state_.ranked[i].lever].change;
    if (!isolates(size) || !find_change(state_.fixed, size)) continue;
    for (std::size_t k = 0; k < state_.ranked.size(); ++k)
      if (state_.ranked[k].reaches && k != i) {
        const Lever &first = state_.levers[state_.ranked[i].lever], &second = state_.levers[state_.ranked[k].lever];
        follow(first, second, steps(first, second, kSteps));
      }
  }
}

void PairSearch::pairs() {
  const std::size_t among = std::min(state_.ranked.size(), kPaired);
  Pairs chosen;
  for (std::size_t i = 0; i < among; ++i)
    for (std::size_t k = i + 1; k < among; ++k) chosen.emplace_back(i, k);
  follow(chosen);
}

void PairSearch::follow(const Pairs& pairs) {
  Pairs chosen;
  std::vector<Plan> plans;
  const double base = cost_of(state_.fixed);
  for (const auto& [i, k] : pairs) {
    const Ranked &a = state_.ranked[i], &b = state_.ranked[k];
    const Lever &first = state_.levers[a.lever], &second = state_.levers[b.lever];
    if (is_same_field(first.change, second.change)) continue;
    if (base + SearchState::kLeastOfField + SearchState::kLeastOfField >= state_.best_cost()) continue;
    chosen.emplace_back(i, k);
    plans.push_back(state_.set(state_.set(state_.fixed, first, a.index), second, b.index));
  }
  const std::vector<Trial> trials = state_.trials.run(plans);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    state_.offer(trials[i]);
    if (trials[i].done) order.push_back(i);
  }
  sort_stably(order, [&](std::size_t a, std::size_t b) { return trials[a].better_than(trials[b]); });
  for (const std::size_t i : order) {
    const Ranked &a = state_.ranked[chosen[i].first], &b = state_.ranked[chosen[i].second];
    const Lever &first = state_.levers[a.lever], &second = state_.levers[b.lever];
    if (trials[i].miss > 0 && !a.reaches && !b.reaches) continue;
    // The one with a choice, or with fewer values, is stepped through.
    if (second.is_choice || (!first.is_choice && second.values.size() < first.values.size())) follow(second, first);
    else follow(first, second);
  }
}

}  // namespace apf
