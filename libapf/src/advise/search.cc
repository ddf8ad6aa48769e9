#include "advise/search.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/sort_stably.h"

namespace apf {

namespace {

constexpr std::size_t kPaired = 6;    // levers of which pairs are tried
constexpr std::size_t kTripled = 5;   // and threes
constexpr std::size_t kFewSteps = 4;  // of the first of a pair, to see whether it is worth it
constexpr std::size_t kSteps = 16;
constexpr std::size_t kClimbed = 12;  // changes that are tried first beside a plan
constexpr std::size_t kStarts = 8;    // plans from which changes are added
constexpr double kProgress = 1e-3;    // of the way to all goals: less is none
constexpr double kFine = 0.02;        // a difference of costs that counts: a part of the whole
constexpr double kLeastOfField = 1;   // what a field costs at least

// Levels that keep seats, as small as lint takes them: what is smaller needs no replay. Each has its turn until nothing
// changes, as more shares of one are fewer seats of the others. Nothing: no size does.
std::optional<Plan> settled(Trials& trials, const Plan& plan) {
  constexpr int kMost = 100'000;
  Plan out = plan;
  for (bool moved = true; moved;) {
    moved = false;
    for (const SuggestChange& each : Plan(out)) {
      if (each.field != SuggestField::level || !each.keeps_seats) continue;
      SuggestChange change = each;
      const auto is_fit = [&](int shares) {
        change.to = shares;
        return trials.lint().codes_found_in(change.level, with_change(out, change)).empty();
      };
      if (is_fit(each.to)) continue;
      int unfit = each.to, fit = each.to;
      do {
        unfit = fit;
        fit *= 2;
        if (fit > kMost) return std::nullopt;
      } while (!is_fit(fit));
      while (fit - unfit > 1) {
        const int middle = unfit + (fit - unfit) / 2;
        (is_fit(middle) ? fit : unfit) = middle;
      }
      change.to = fit;
      out = with_change(out, change);
      moved = true;
    }
  }
  return out;
}

// All sizes of a level, the best first. Where lint has something against other levels alone, those have their turn yet.
std::vector<Trial> sizes_tried(Trials& trials, const Plan& plan, const Lever& lever) {
  std::vector<Plan> plans;
  for (std::size_t value = 0; value < lever.values.size(); ++value) {
    const Plan sized = with_change(plan, lever.at(value));
    plans.push_back(settled(trials, sized).value_or(sized));
  }
  std::vector<Trial> out = trials.run(plans);
  std::erase_if(out, [](const Trial& trial) { return !trial.done; });
  const auto is_fit = [&](const Trial& trial) {
    return trial.finding.empty() || trials.lint().codes_found_in(lever.change.level, trial.plan).empty();
  };
  sort_stably(out, [](const Trial& a, const Trial& b) { return a.better_than(b); });
  std::stable_partition(out.begin(), out.end(), is_fit);
  return out;
}

}  // namespace

Search::Search(Trials& trials, Plan fixed, int most_seats) : trials_(trials), fixed_(std::move(fixed)) {
  tune_fixed();
  levers_ = find_levers(trials_, fixed_, most_seats);
}

void Search::offer(const Trial& trial) {
  if (!trial.done || proving_) return;
  tried_.push_back(trial);
  if (!trial.met() || (best_ && !trial.better_than(*best_))) return;
  if (!best_) trials_.give_back();  // there is nothing to prove
  best_ = trial;
}

double Search::best_cost() const { return best_ ? best_->cost : HUGE_VAL; }

Plan Search::set(const Plan& plan, const Lever& lever, std::size_t index) const {
  if (index != kNone) return with_change(plan, lever.at(index));
  const SuggestChange* const always = find_change(fixed_, lever.change);
  return always ? with_change(plan, *always) : without_change(plan, lever.change);
}

// Shares of levels that isolate their clients: those with which others fare best. Each has its turn until nothing
// changes, as more shares of one are fewer seats of the others.
void Search::tune_fixed() {
  constexpr int kMostRounds = 3;
  fixed_ = settled(trials_, fixed_).value_or(fixed_);
  for (int round = 0; round < kMostRounds && !trials_.stopped(); ++round) {
    const Plan start = fixed_;
    for (std::size_t i = 0; i < fixed_.size(); ++i)
      if (fixed_[i].field == SuggestField::level && !fixed_[i].keeps_seats) {
        const std::vector<Trial> trials = sizes_tried(trials_, fixed_, isolation_lever(fixed_[i]));
        for (const Trial& trial : trials) offer(trial);
        if (!trials.empty()) fixed_ = trials.front().plan;
      }
    if (fixed_ == start) break;
  }
  if (!fixed_.empty()) offer(trials_.run(fixed_));
}

std::size_t Search::weaken(const Plan& rest, const Lever& lever, std::size_t missed, std::size_t met, bool fit) {
  if (lever.is_choice) return met;
  std::size_t low = missed == kNone ? 0 : missed + 1;  // the first that may do
  while (low < met && !trials_.stopped()) {
    const std::size_t middle = low + (met - low) / 2;
    const Trial trial = trials_.run(set(rest, lever, middle));
    if (!trial.done) break;
    offer(trial);
    if (fit ? trial.met() : trial.miss <= 0) met = middle;
    else low = middle + 1;
  }
  return met;
}

std::size_t Search::affordable(const Plan& rest, const Lever& lever) const {
  std::size_t count = 0;
  for (std::size_t step = lever.values.size(); step > 0; step /= 2)
    while (count + step <= lever.values.size() && cost_of(set(rest, lever, count + step - 1)) < best_cost() - 1e-9)
      count += step;
  return count == 0 ? kNone : count - 1;
}

// Each lever alone: where it helps most, and as little of it as meets the goals.
void Search::singles() {
  std::vector<Plan> plans;
  for (const Lever& lever : levers_)
    for (const std::size_t probe : lever.probes) plans.push_back(set(fixed_, lever, probe));
  const std::vector<Trial> trials = trials_.run(plans);
  std::size_t next = 0;
  for (std::size_t number = 0; number < levers_.size(); ++number) {
    const Lever& lever = levers_[number];
    std::optional<Ranked> most;
    std::size_t missed = kNone;
    bool met = false, reached = false;
    for (const std::size_t probe : lever.probes) {
      const Trial& trial = trials[next++];
      if (!trial.done) continue;
      offer(trial);
      if (!most || trial.better_than(most->trial)) most = {number, probe, trial};
      if (!met && trial.met()) weaken(fixed_, lever, missed, probe);
      // A smaller value may be fit to be suggested where this one is not; or a larger one.
      if (!reached && trial.miss <= 0 && !trial.met()) weaken(fixed_, lever, missed, probe, false);
      met = met || trial.met();
      reached = reached || trial.miss <= 0;
      if (!met) missed = probe;
    }
    if (most) ranked_.push_back(*most);
  }
  sort_stably(ranked_, [](const Ranked& a, const Ranked& b) { return a.trial.better_than(b.trial); });
  everything_ = fixed_;
  for (auto at = ranked_.rbegin(); at != ranked_.rend(); ++at)
    if (at->trial.finding.empty()) everything_ = set(everything_, levers_[at->lever], at->index);
}

// A smaller value may do although a larger one does not: replays are not that regular.
void Search::below_best() {
  std::vector<Plan> plans;
  for (const Lever& lever : levers_) {
    double last = 0;
    for (std::size_t i = 0; i < lever.values.size() && !lever.is_choice; ++i) {
      Plan plan = set(fixed_, lever, i);
      const double cost = cost_of(plan);
      if (cost >= best_cost() * (1 - kFine / 2)) break;
      if (cost < last + kFine * best_cost()) continue;
      last = cost;
      plans.push_back(std::move(plan));
    }
  }
  sort_stably(plans, [](const Plan& a, const Plan& b) { return cost_of(a) < cost_of(b); });
  constexpr std::size_t kBatch = 8;
  for (std::size_t first = 0; first < plans.size() && !trials_.stopped(); first += kBatch) {
    const std::size_t last = std::min(first + kBatch, plans.size());
    const std::vector<Plan> batch(plans.begin() + static_cast<std::ptrdiff_t>(first),
                                  plans.begin() + static_cast<std::ptrdiff_t>(last));
    for (const Trial& trial : trials_.run(batch)) offer(trial);
    if (cost_of(plans[last - 1]) >= best_cost()) return;
  }
}

// Steps of one lever, and for each of them as little of the other as meets the goals: what costs no less than the best
// so far is left out.
void Search::follow(const Lever& first, const Lever& second, const std::vector<std::size_t>& steps) {
  for (const std::size_t step : steps) {
    if (trials_.stopped()) return;
    const Plan rest = set(fixed_, first, step);
    const std::size_t most = second.is_choice ? second.values.size() - 1 : affordable(rest, second);
    if (most == kNone || cost_of(set(rest, second, 0)) >= best_cost()) continue;
    // Too much of it may meet the goals, and not be fit to be suggested.
    std::vector<std::size_t> tops = {most};
    for (auto probe = second.probes.rbegin(); probe != second.probes.rend(); ++probe)
      if (*probe < most) tops.push_back(*probe);
    for (const std::size_t top : tops) {
      const Trial trial = trials_.run(set(rest, second, top));
      if (!trial.done) return;
      offer(trial);
      if (trial.met()) weaken(rest, second, kNone, top);
      if (trial.met() || trial.miss > 0) break;
    }
  }
}

// Steps of a lever that are even in what they cost, as far as they are cheaper than the best so far beside the least of
// the other lever, and the last of these.
std::vector<std::size_t> Search::even_steps(const Lever& first, const Lever& second, std::size_t count) const {
  std::vector<std::size_t> out;
  const std::size_t most = affordable(set(fixed_, second, 0), first);
  if (most == kNone) return out;
  double last = 0;
  const double least = cost_of(set(fixed_, first, 0)), width = cost_of(set(fixed_, first, most)) - least;
  for (std::size_t i = 0; i <= most; ++i) {
    const double cost = cost_of(set(fixed_, first, i));
    if (i > 0 && cost < last + width / static_cast<double>(count)) continue;
    last = cost;
    out.push_back(i);
  }
  if (out.back() != most) out.push_back(most);
  return out;
}

// A few steps first; where one of them is better than the best so far, more of them, and finer ones around it.
void Search::follow(const Lever& first, const Lever& second) {
  const double before = best_cost();
  follow(first, second, even_steps(first, second, kFewSteps));
  if (best_cost() >= before) return;
  const std::vector<std::size_t> steps = even_steps(first, second, kSteps);
  follow(first, second, steps);
  const SuggestChange* const mine = find_change(best_->plan, first.change);
  if (!mine) return;
  const auto value = std::find(first.values.begin(), first.values.end(), mine->to);
  if (value == first.values.end()) return;
  const auto at = static_cast<std::size_t>(value - first.values.begin());
  const auto above = std::upper_bound(steps.begin(), steps.end(), at);
  const auto same = std::lower_bound(steps.begin(), steps.end(), at);
  const std::size_t from = same == steps.begin() ? 0 : *std::prev(same) + 1;
  const std::size_t to = above == steps.end() ? at + 1 : *above;
  std::vector<std::size_t> fine;
  for (std::size_t i = from; i < to; i += std::max<std::size_t>(1, (to - from) / (kSteps / 2))) fine.push_back(i);
  follow(first, second, fine);
}

void Search::pairs() {
  const std::size_t among = std::min(ranked_.size(), kPaired);
  std::vector<std::pair<std::size_t, std::size_t>> chosen;
  std::vector<Plan> plans;
  const double base = cost_of(fixed_);
  for (std::size_t i = 0; i < among; ++i) {
    for (std::size_t k = i + 1; k < among; ++k) {
      const Ranked &a = ranked_[i], &b = ranked_[k];
      const Lever &first = levers_[a.lever], &second = levers_[b.lever];
      if (is_same_field(first.change, second.change)) continue;
      if (base + kLeastOfField + kLeastOfField >= best_cost()) continue;
      chosen.emplace_back(i, k);
      plans.push_back(set(set(fixed_, first, a.index), second, b.index));
    }
  }
  const std::vector<Trial> trials = trials_.run(plans);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    offer(trials[i]);
    if (trials[i].done) order.push_back(i);
  }
  sort_stably(order, [&](std::size_t a, std::size_t b) { return trials[a].better_than(trials[b]); });
  for (const std::size_t i : order) {
    const Lever &first = levers_[ranked_[chosen[i].first].lever], &second = levers_[ranked_[chosen[i].second].lever];
    if (trials[i].miss > 0 && !ranked_[chosen[i].first].trial.met()) continue;
    // The one with a choice, or with fewer values, is stepped through.
    if (second.is_choice || (!first.is_choice && second.values.size() < first.values.size())) follow(second, first);
    else follow(first, second);
  }
}

void Search::triples() {
  const std::size_t among = std::min(ranked_.size(), kTripled);
  std::vector<Plan> plans;
  for (std::size_t i = 0; i < among; ++i)
    for (std::size_t k = i + 1; k < among; ++k)
      for (std::size_t m = k + 1; m < among; ++m) {
        Plan plan = fixed_;
        for (const std::size_t one : {m, k, i}) plan = set(plan, levers_[ranked_[one].lever], ranked_[one].index);
        if (plan.size() == fixed_.size() + 3) plans.push_back(std::move(plan));
      }
  for (const Trial& trial : trials_.run(plans)) offer(trial);
}

// A plan that meets the goals without those changes that are not needed, the costliest first.
void Search::drop_needless(const Plan& met) {
  Plan plan = met;
  std::vector<SuggestChange> changes = plan;
  sort_stably(changes, [](const SuggestChange& a, const SuggestChange& b) { return cost_of(a) > cost_of(b); });
  for (const SuggestChange& change : changes) {
    if (std::find(fixed_.begin(), fixed_.end(), change) != fixed_.end() || trials_.stopped()) continue;
    const Trial trial = trials_.run(without_change(plan, change));
    offer(trial);
    if (trial.met()) plan = trial.plan;
  }
}

// From the plans that come nearest, one after the other: a way that ends before the goals may have begun with another
// change.
void Search::climb(std::size_t most) {
  std::vector<Trial> starts;
  for (const Trial& trial : tried_)
    if (trial.finding.empty()) starts.push_back(trial);
  sort_stably(starts, [](const Trial& a, const Trial& b) { return a.better_than(b); });
  std::vector<SuggestChange> all;
  for (const Ranked& ranked : ranked_) all.push_back(levers_[ranked.lever].at(ranked.index));
  for (const Lever& lever : levers_)
    for (const std::size_t probe : lever.probes)
      if (std::find(all.begin(), all.end(), lever.at(probe)) == all.end()) all.push_back(lever.at(probe));
  std::set<std::pair<double, double>> known;  // plans that come to the same are one start
  for (const Trial& start : starts) {
    if (best_ || trials_.stopped() || known.size() == most) break;
    if (known.emplace(start.way, start.miss).second) climb(start, all);
  }
  if (best_) drop_needless(best_->plan);
}

// Always the change besides that comes nearest to all goals together, until they are met or none helps. At first only
// changes that helped most before are tried, then `all`.
void Search::climb(const Trial& start, const std::vector<SuggestChange>& all) {
  Trial now = start;
  std::vector<SuggestChange> first(all.begin(),
                                   all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), kClimbed)));
  bool tries_all = false;
  while (!best_ && !trials_.stopped()) {
    std::vector<Plan> plans;
    for (const SuggestChange& change : tries_all ? all : first) {
      Plan plan = with_change(now.plan, change);
      if (plan != now.plan) plans.push_back(std::move(plan));
    }
    std::vector<Trial> trials = trials_.run(plans);
    for (const Trial& trial : trials) offer(trial);
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
  for (bool moved = true; moved && best_ && !trials_.stopped();) {
    moved = false;
    const Trial start = *best_;
    for (const Lever& lever : levers_) {
      const SuggestChange* const mine = find_change(start.plan, lever.change);
      const auto value = mine ? std::find(lever.values.begin(), lever.values.end(), mine->to) : lever.values.end();
      if (value == lever.values.end()) continue;
      offer(trials_.run(set(best_->plan, lever, kNone)));
      if (std::find(best_->plan.begin(), best_->plan.end(), *mine) == best_->plan.end()) continue;  // not needed
      weaken(set(best_->plan, lever, kNone), lever, kNone, static_cast<std::size_t>(value - lever.values.begin()));
    }
    moved = best_->better_than(start);
  }
}

void Search::run() {
  const double base = cost_of(fixed_);
  if (best_cost() <= base) return;  // nothing besides is needed
  singles();
  below_best();
  if (!best_) climb(1);
  if (best_cost() > base + 2 * kLeastOfField) pairs();
  if (best_cost() > base + 3 * kLeastOfField) triples();
  if (!best_) {
    const Trial all = trials_.run(everything_);
    offer(all);
    if (all.met()) drop_needless(everything_);
  }
  if (!best_) climb(kStarts);
  polish();
}

std::vector<Trial> Search::others() const {
  std::vector<Trial> out;
  std::set<std::string> known;
  if (best_) known.insert(key_of(best_->plan));
  for (const Trial& trial : tried_)
    if (trial.done && !trial.plan.empty() && known.insert(key_of(trial.plan)).second) out.push_back(trial);
  sort_stably(out,
              [](const Trial& a, const Trial& b) { return a.miss != b.miss ? a.miss < b.miss : a.better_than(b); });
  return out;
}

std::optional<Trial> Search::least_seats(const Plan& plan, int most) {
  proving_ = true;  // plans with other seats are no answers
  const Lever lever = seats_lever(trials_.base(), most);
  // With more seats, levels that lint takes as too small with these may be large enough.
  std::optional<Plan> fit;
  for (std::int64_t seats = trials_.base().server_concurrency_limit; !fit && seats <= most; seats *= 2) {
    SuggestChange change = lever.change;
    change.to = static_cast<int>(seats);
    fit = settled(trials_, with_change(plan, change));
  }
  const Plan rest = without_change(fit.value_or(plan), lever.change);
  std::vector<Plan> plans;
  for (const std::size_t probe : lever.probes) plans.push_back(set(rest, lever, probe));
  const std::vector<Trial> trials = trials_.run(plans);
  std::size_t missed = kNone;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (trials[i].met()) return trials_.run(set(rest, lever, weaken(rest, lever, missed, lever.probes[i])));
    missed = lever.probes[i];
  }
  return std::nullopt;
}

}  // namespace apf
