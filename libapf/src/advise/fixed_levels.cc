#include "advise/fixed_levels.h"

#include <algorithm>
#include <array>

#include "advise/levers.h"
#include "base/sort_stably.h"

namespace apf {

namespace {

constexpr std::array kRoughShares = {5, 20, 60};

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

// Each has its turn until nothing changes, as more shares of one are fewer seats of the others.
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

// Each has its turn until nothing changes.
Plan tuned(Trials& trials, Plan fixed, const std::function<void(const Trial&)>& offer) {
  constexpr int kMostRounds = 3;
  fixed = settled(trials, fixed).value_or(fixed);
  for (int round = 0; round < kMostRounds && !trials.stopped(); ++round) {
    const Plan start = fixed;
    for (std::size_t i = 0; i < fixed.size(); ++i)
      if (isolates(fixed[i])) {
        const std::vector<Trial> sizes = sizes_tried(trials, fixed, isolation_lever(fixed[i]));
        for (const Trial& trial : sizes) offer(trial);
        if (!sizes.empty()) fixed = sizes.front().plan;
      }
    if (fixed == start) break;
  }
  if (!fixed.empty()) offer(trials.run(fixed));
  return fixed;
}

Trial rough_sizes(Trials& trials, const Plan& fixed) {
  std::vector<Plan> plans;
  for (const int shares : kRoughShares) {
    Plan plan = fixed;
    for (SuggestChange& change : plan)
      if (isolates(change)) change.to = shares;
    plans.push_back(settled(trials, plan).value_or(plan));
  }
  std::vector<Trial> out = trials.run(plans);
  return *std::min_element(out.begin(), out.end(), [](const Trial& a, const Trial& b) { return a.better_than(b); });
}

}  // namespace apf
