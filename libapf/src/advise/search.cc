#include "advise/search.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "advise/fixed_levels.h"
#include "advise/pair_search.h"
#include "base/sort_stably.h"

namespace apf {

namespace {

constexpr std::size_t kTripled = 5;   // levers of which threes are tried
constexpr std::size_t kClimbed = 12;  // changes that are tried first beside a plan
constexpr std::size_t kStarts = 8;    // plans from which changes are added
constexpr double kProgress = 1e-3;    // of the way to all goals: less is none
constexpr double kFine = 0.02;        // a difference of costs that counts: a part of the whole

}  // namespace

Search::Search(Trials& trials, Plan fixed, int most_seats) : state_{.trials = trials} {
  state_.fixed = tuned(trials, std::move(fixed), [&](const Trial& trial) { state_.offer(trial); });
  state_.levers = find_levers(trials, state_.fixed, most_seats);
}

// Each lever alone: where it helps most, and as little of it as meets the goals.
void Search::singles() {
  std::vector<Plan> plans;
  for (const Lever& lever : state_.levers)
    for (const std::size_t probe : lever.probes) plans.push_back(state_.set(state_.fixed, lever, probe));
  const std::vector<Trial> trials = state_.trials.run(plans);
  std::size_t next = 0;
  for (std::size_t number = 0; number < state_.levers.size(); ++number) {
    const Lever& lever = state_.levers[number];
    std::optional<Ranked> most;
    std::size_t missed = kNone;
    bool met = false, reached = false;
    for (const std::size_t probe : lever.probes) {
      const Trial& trial = trials[next++];
      if (!trial.done) continue;
      state_.offer(trial);
      if (!most || trial.better_than(most->trial)) most = {number, probe, trial};
      if (!met && trial.met()) state_.weaken(state_.fixed, lever, missed, probe);
      // A smaller value may be fit to be suggested where this one is not; or a larger one.
      if (!reached && trial.miss <= 0 && !trial.met()) state_.weaken(state_.fixed, lever, missed, probe, false);
      met = met || trial.met();
      reached = reached || trial.miss <= 0;
      if (!met) missed = probe;
    }
    if (!most) continue;
    most->reaches = reached;
    state_.ranked.push_back(*most);
  }
  sort_stably(state_.ranked, [](const Ranked& a, const Ranked& b) { return a.trial.better_than(b.trial); });
  everything_ = state_.fixed;
  for (auto at = state_.ranked.rbegin(); at != state_.ranked.rend(); ++at)
    if (at->trial.finding.empty()) everything_ = state_.set(everything_, state_.levers[at->lever], at->index);
}

// A smaller value may do although a larger one does not: replays are not that regular.
void Search::below_best() {
  std::vector<Plan> plans;
  for (const Lever& lever : state_.levers) {
    double last = 0;
    for (std::size_t i = 0; i < lever.values.size() && !lever.is_choice; ++i) {
      Plan plan = state_.set(state_.fixed, lever, i);
      const double cost = cost_of(plan);
      if (cost >= state_.best_cost() * (1 - kFine / 2)) break;
      if (cost < last + kFine * state_.best_cost()) continue;
      last = cost;
      plans.push_back(std::move(plan));
    }
  }
  sort_stably(plans, [](const Plan& a, const Plan& b) { return cost_of(a) < cost_of(b); });
  constexpr std::size_t kBatch = 8;
  for (std::size_t first = 0; first < plans.size() && !state_.trials.stopped(); first += kBatch) {
    const std::size_t last = std::min(first + kBatch, plans.size());
    const std::vector<Plan> batch(plans.begin() + static_cast<std::ptrdiff_t>(first),
                                  plans.begin() + static_cast<std::ptrdiff_t>(last));
    for (const Trial& trial : state_.trials.run(batch)) state_.offer(trial);
    if (cost_of(plans[last - 1]) >= state_.best_cost()) return;
  }
}

void Search::triples() {
  const std::size_t among = std::min(state_.ranked.size(), kTripled);
  std::vector<Plan> plans;
  for (std::size_t i = 0; i < among; ++i)
    for (std::size_t k = i + 1; k < among; ++k)
      for (std::size_t m = k + 1; m < among; ++m) {
        Plan plan = state_.fixed;
        for (const std::size_t one : {m, k, i})
          plan = state_.set(plan, state_.levers[state_.ranked[one].lever], state_.ranked[one].index);
        if (plan.size() == state_.fixed.size() + 3) plans.push_back(std::move(plan));
      }
  for (const Trial& trial : state_.trials.run(plans)) state_.offer(trial);
}

// A plan that meets the goals without those changes that are not needed, the costliest first.
Plan Search::without_needless(const Plan& met) {
  Plan plan = met;
  std::vector<SuggestChange> changes = plan;
  sort_stably(changes, [](const SuggestChange& a, const SuggestChange& b) { return cost_of(a) > cost_of(b); });
  for (const SuggestChange& change : changes) {
    if (find_change(state_.fixed, change) || state_.trials.stopped()) continue;
    const Trial trial = state_.trials.run(without_change(plan, change));
    state_.offer(trial);
    if (trial.met()) plan = trial.plan;
  }
  return plan;
}

// From the plans that come nearest, one after the other: a way that ends before the goals may have begun with another
// change.
void Search::climb(std::size_t most) {
  std::vector<Trial> starts;
  for (const Trial& trial : state_.tried)
    if (trial.finding.empty()) starts.push_back(trial);
  sort_stably(starts, [](const Trial& a, const Trial& b) { return a.better_than(b); });
  std::vector<SuggestChange> all;
  for (const Ranked& ranked : state_.ranked) all.push_back(state_.levers[ranked.lever].at(ranked.index));
  for (const Lever& lever : state_.levers)
    for (const std::size_t probe : lever.probes)
      if (std::find(all.begin(), all.end(), lever.at(probe)) == all.end()) all.push_back(lever.at(probe));
  std::set<std::pair<double, double>> known;  // plans that come to the same are one start
  for (const Trial& start : starts) {
    if (state_.best || state_.trials.stopped() || known.size() == most) break;
    if (known.emplace(start.way, start.miss).second) climb(start, all);
  }
  if (state_.best) without_needless(state_.best->plan);
}

// Always the change besides that comes nearest to all goals together, until they are met or none helps. At first only
// changes that helped most before are tried, then `all`.
void Search::climb(const Trial& start, const std::vector<SuggestChange>& all) {
  Trial now = start;
  std::vector<SuggestChange> first(all.begin(),
                                   all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), kClimbed)));
  bool tries_all = false;
  while (!state_.best && !state_.trials.stopped()) {
    std::vector<Plan> plans;
    for (const SuggestChange& change : tries_all ? all : first) {
      Plan plan = with_change(now.plan, change);
      if (plan != now.plan) plans.push_back(std::move(plan));
    }
    std::vector<Trial> trials = state_.trials.run(plans);
    for (const Trial& trial : trials) state_.offer(trial);
    sort_stably(trials, [](const Trial& a, const Trial& b) { return a.better_than(b); });
    std::erase_if(trials, [](const Trial& trial) { return !trial.done || !trial.finding.empty(); });
    const bool nearer = !trials.empty() && trials.front().way < now.way * (1 - kProgress);
    if (!nearer && tries_all) break;
    tries_all = !nearer;
    if (!nearer) continue;
    now = trials.front();
    first.clear();
    const auto is_in = [](const Plan& plan, const SuggestChange& change) {
      return std::find(plan.begin(), plan.end(), change) != plan.end();
    };
    for (std::size_t i = 0; i < std::min(trials.size(), kClimbed); ++i)
      for (const SuggestChange& change : trials[i].plan)
        if (!is_in(now.plan, change) && !is_in(first, change)) first.push_back(change);
  }
}

// The best plan, one lever after the other as weak as may be, until nothing moves.
void Search::polish() {
  for (bool moved = true; moved && state_.best && !state_.trials.stopped();) {
    moved = false;
    const Trial start = *state_.best;
    for (const Lever& lever : state_.levers) {
      const SuggestChange* const mine = find_change(start.plan, lever.change);
      const auto value = mine ? std::find(lever.values.begin(), lever.values.end(), mine->to) : lever.values.end();
      if (value == lever.values.end()) continue;
      state_.offer(state_.trials.run(state_.set(state_.best->plan, lever, kNone)));
      if (std::find(state_.best->plan.begin(), state_.best->plan.end(), *mine) == state_.best->plan.end())
        continue;  // not needed
      state_.weaken(state_.set(state_.best->plan, lever, kNone), lever, kNone,
                    static_cast<std::size_t>(value - lever.values.begin()));
    }
    moved = state_.best->better_than(start);
  }
}

void Search::run() {
  const double base = cost_of(state_.fixed);
  if (state_.best_cost() <= base) return;  // nothing besides is needed
  singles();
  below_best();
  PairSearch pairs(state_);
  if (!state_.best) pairs.sizes();
  if (!state_.best) climb(1);
  if (state_.best_cost() > base + 2 * SearchState::kLeastOfField) pairs.pairs();
  if (state_.best_cost() > base + 3 * SearchState::kLeastOfField) triples();
  if (!state_.best) {
    const Trial all = state_.trials.run(everything_);
    state_.offer(all);
    if (all.met()) without_needless(everything_);
  }
  if (!state_.best) climb(kStarts);
  polish();
}

std::vector<Trial> Search::others() const {
  std::vector<Trial> out;
  std::set<std::string> known;
  if (state_.best) known.insert(key_of(state_.best->plan));
  for (const Trial& trial : state_.tried)
    if (trial.done && !trial.plan.empty() && known.insert(key_of(trial.plan)).second) out.push_back(trial);
  sort_stably(out,
              [](const Trial& a, const Trial& b) { return a.miss != b.miss ? a.miss < b.miss : a.better_than(b); });
  return out;
}

std::optional<Trial> Search::least_seats(const Plan& plan, int most) {
  state_.proving = true;  // plans with other seats are no answers
  const Lever lever = seats_lever(state_.trials.base(), most);
  // With more seats, levels that lint takes as too small with these may be large enough.
  std::optional<Plan> fit;
  for (std::int64_t seats = state_.trials.base().server_concurrency_limit; !fit && seats <= most; seats *= 2) {
    SuggestChange change = lever.change;
    change.to = static_cast<int>(seats);
    fit = settled(state_.trials, with_change(plan, change));
  }
  const Plan rest = without_change(fit.value_or(plan), lever.change);
  std::vector<Plan> plans;
  for (const std::size_t probe : lever.probes) plans.push_back(state_.set(rest, lever, probe));
  const std::vector<Trial> trials = state_.trials.run(plans);
  std::size_t missed = kNone;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (trials[i].met())
      return state_.trials.run(state_.set(rest, lever, state_.weaken(rest, lever, missed, lever.probes[i])));
    missed = lever.probes[i];
  }
  return std::nullopt;
}

}  // namespace apf
