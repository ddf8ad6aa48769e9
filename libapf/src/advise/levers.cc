#include "advise/levers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include "advise/client_level.h"
#include "advise/client_requests.h"
#include "base/releases.h"
#include "base/sort_stably.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

constexpr int kMostTimes = 8;                       // how many times larger a queue, or their number, may become
constexpr int kLongQueue = 200, kManyQueues = 128;  // and how large at least, where they were small
constexpr int kMostTimesShares = 10;                // how many times the shares of all levels those of one may become
constexpr int kFinest = 200;                        // values step by a 200th of themselves, at least by 1
constexpr int kDearPercent = 50;                    // so many points more of a limit cost as much as to remove it
constexpr int kMostPercent = 90;                    // more is as good as everything
constexpr std::size_t kNeighbours = 2, kBorrowers = 1;
constexpr std::array kIsolatedShares = {2, 5, 8, 10, 13, 16, 20, 30, 40, 60, 80, 120};

// A level that lends nothing keeps its seats while they are idle (APF312): a level may lend less, but not nothing.
constexpr int kLeastLent = 5;

std::vector<int> values_between(int from, int most) {
  std::vector<int> out;
  if (from < most)
    for (int value = from + 1; value < most; value += std::max(1, value / kFinest)) out.push_back(value);
  else
    for (int value = from - 1; value > most; value -= std::max(1, value / kFinest)) out.push_back(value);
  if (from != most) out.push_back(most);
  return out;
}

void add(std::vector<Lever>& levers, SuggestField field, const std::string& level, int from, int most) {
  if (from == most) return;
  Lever lever;
  lever.change = {field, level, from, most, {}, 0, false};
  lever.values = values_between(from, most);
  double next = 2;
  for (std::size_t i = 0; i + 1 < lever.values.size(); ++i) {
    const double cost = cost_of(lever.at(i));
    if (cost < next) continue;
    lever.probes.push_back(i);
    next = std::floor(cost) + 1;
  }
  lever.probes.push_back(lever.values.size() - 1);
  levers.push_back(std::move(lever));
}

bool suffers(const LevelReport& level) { return level.tally.rejected() > 0 || level.tally.queued > 0; }

// Limited levels that goals that are missed are about, those of flows in trouble for all else. Levels that there are
// anyway may miss what was met without them; and those to which lint objects for it.
std::set<std::string> levels_in_trouble(Trials& trials, const Plan& fixed) {
  std::set<std::string> out;
  const ReplayReport& before = trials.before().front();
  for (const SuggestGoal& goal : trials.goals()) {
    if (fixed.empty() && trials.miss_before(goal) <= 0) continue;
    for (const LevelReport& level : before.levels) {
      if (level.exempt || is_mandatory_level(level.name)) continue;
      bool about = goal.subject == level.name || (goal.subject == "total" && suffers(level));
      for (const SchemaReport& schema : before.schemas)
        about = about || (goal.subject == "FlowSchema/" + schema.name && schema.priority_level == level.name);
      if (about) out.insert(level.name);
    }
  }
  // New levels leave less for all others.
  for (const auto& [code, object] : trials.lint().found_anew(fixed)) {
    constexpr std::string_view kLevel = "PriorityLevelConfiguration/";
    if (!object.starts_with(kLevel)) continue;
    const std::string level = object.substr(kLevel.size());
    if (find_level(trials.base().config, level) && !is_mandatory_level(level)) out.insert(level);
  }
  return out;
}

int shares_of_all(const Config& config) {
  int sum = 0;
  for (const PriorityLevel& level : config.priority_levels)
    if (level.limited) sum += std::min(level.limited->nominal_concurrency_shares.value_or(30), 100'000);
  return std::min(sum, 10'000'000);
}

void add_queue_levers(std::vector<Lever>& levers, const std::string& name, const Queuing& queuing) {
  add(levers, SuggestField::queue_length, name, queuing.queue_length_limit,
      std::max(queuing.queue_length_limit * kMostTimes, kLongQueue));
  add(levers, SuggestField::queues, name, queuing.queues, std::max(queuing.queues * kMostTimes, kManyQueues));
  // A larger hand: more places for a flow, and narrower requests; a smaller one: fewer places for whoever floods.
  add(levers, SuggestField::hand, name, queuing.hand_size, std::min(queuing.hand_size * kMostTimes, queuing.queues));
  add(levers, SuggestField::hand, name, queuing.hand_size, 1);
}

// A level may borrow more: as long as that costs less than to remove its limit, and then without one.
Lever looser_limit(const std::string& name, int percent) {
  Lever out;
  out.change = {SuggestField::borrowing, name, percent, -1, {}, 0, false};
  for (int more = 1; more < kDearPercent; ++more) out.values.push_back(percent + more);
  out.values.push_back(-1);
  out.probes = {out.values.size() / 2, out.values.size() - 2, out.values.size() - 1};
  return out;
}

void add_level_levers(std::vector<Lever>& levers, const PriorityLevel& level, int all_shares) {
  const std::string& name = level.meta.name;
  const LimitedLevel& limited = *level.limited;
  const int shares = limited.nominal_concurrency_shares.value_or(30);
  add(levers, SuggestField::shares, name, shares, std::max(shares * kMostTimes, all_shares * kMostTimesShares));
  if (limited.borrowing_limit_percent) levers.push_back(looser_limit(name, *limited.borrowing_limit_percent));
  const int lendable = limited.lendable_percent.value_or(0);
  add(levers, SuggestField::lendable, name, lendable, lendable > kLeastLent ? kLeastLent : 0);
  if (limited.queuing) add_queue_levers(levers, name, *limited.queuing);
}

// The shares of a level that keeps seats for its client: up to half of all.
Lever protection_lever(const SuggestChange& level, int all_shares) {
  Lever out;
  out.change = level;
  out.values = values_between(level.to, std::max(all_shares, level.to + 1));
  for (std::size_t i = 0, next = 2; i + 1 < out.values.size(); ++i) {
    if (out.values[i] < static_cast<int>(next) * level.to) continue;
    out.probes.push_back(i);
    next *= 2;
  }
  out.probes.push_back(out.values.size() - 1);
  return out;
}

// Levels that have most seats to spare may lend more, or have fewer shares.
void add_neighbour_levers(std::vector<Lever>& levers, Trials& trials, const std::set<std::string>& trouble) {
  std::vector<std::pair<double, const PriorityLevel*>> idle;
  for (const PriorityLevel& level : trials.base().config.priority_levels) {
    if (!level.limited || trouble.contains(level.meta.name) || is_mandatory_level(level.meta.name)) continue;
    if (trials.clients().protecting_levels.contains(level.meta.name)) continue;
    for (const LevelReport& report : trials.before().front().levels)
      if (report.name == level.meta.name && report.nominal_cl > report.seats_peak)
        idle.emplace_back(report.nominal_cl - report.seats_peak, &level);
  }
  sort_stably(idle, [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; i < std::min(idle.size(), kNeighbours); ++i) {
    const PriorityLevel& level = *idle[i].second;
    const int lendable = level.limited->lendable_percent.value_or(0);
    if (lendable < kMostPercent) add(levers, SuggestField::lendable, level.meta.name, lendable, kMostPercent);
    const int shares = level.limited->nominal_concurrency_shares.value_or(30);
    if (shares > 1) add(levers, SuggestField::shares, level.meta.name, shares, 1);
  }
}

// The level that borrows most may borrow half of it or nothing, so that more is left for those in trouble.
void add_borrower_levers(std::vector<Lever>& levers, Trials& trials, const std::set<std::string>& trouble) {
  std::vector<const LevelReport*> borrowers;
  for (const LevelReport& report : trials.before().front().levels)
    if (!report.exempt && report.borrowed_avg > 0 && report.nominal_cl > 0 && !trouble.contains(report.name) &&
        !is_mandatory_level(report.name) && !trials.clients().protecting_levels.contains(report.name))
      borrowers.push_back(&report);
  sort_stably(borrowers, [](const LevelReport* a, const LevelReport* b) { return a->borrowed_avg > b->borrowed_avg; });
  borrowers.resize(std::min(borrowers.size(), kBorrowers));
  for (const LevelReport* report : borrowers) {
    for (const PriorityLevel& level : trials.base().config.priority_levels) {
      if (level.meta.name != report->name || !level.limited) continue;
      const int from = level.limited->borrowing_limit_percent.value_or(-1);
      const int borrowed = (report->current_cl_max - report->nominal_cl) * 100 / report->nominal_cl;
      const int most = from < 0 ? borrowed : std::min(from, borrowed);
      if (most <= 0) continue;
      Lever lever;
      lever.change = {SuggestField::borrowing, report->name, from, 0, {}, 0, false};
      lever.values =
          most > 1 ? std::vector<int>{most / 2, 0} : std::vector<int>{0};  // in one step each: all cost alike
      for (std::size_t i = 0; i < lever.values.size(); ++i) lever.probes.push_back(i);
      levers.push_back(std::move(lever));
    }
  }
}

// Sizes of levels of their own for those who are protected; shares of levels that isolate already; and, unless somebody
// is isolated anyway, levels for those who cause the trouble.
void add_client_levers(std::vector<Lever>& levers, Trials& trials, const Plan& fixed, bool in_trouble) {
  const Config& config = trials.base().config;
  const NamedClients& clients = trials.clients();
  for (const PriorityLevel& level : config.priority_levels) {
    if (!level.limited || !clients.isolating_levels.contains(level.meta.name)) continue;
    const int shares = level.limited->nominal_concurrency_shares.value_or(30);
    add(levers, SuggestField::shares, level.meta.name, shares, 1);
    add(levers, SuggestField::shares, level.meta.name, shares, std::max(shares, kIsolatedShares.back()));
  }
  std::erase_if(levers, [&](const Lever& lever) {
    const SuggestField field = lever.change.field;
    // What isolates its client borrows from nobody, and lends what it lends.
    const bool undoes = field == SuggestField::borrowing ||
                        (field == SuggestField::lendable && lever.values.back() < lever.change.from);
    return find_change(fixed, lever.change) || (undoes && clients.isolating_levels.contains(lever.change.level));
  });
  for (const SuggestChange& change : fixed)
    if (change.field == SuggestField::level)
      levers.push_back(change.keeps_seats ? protection_lever(change, shares_of_all(config)) : isolation_lever(change));
  if (!clients.isolated.empty() || !in_trouble) return;
  ReplayOptions now = trials.base();
  apply_plan(fixed, now);
  for (const std::string& user : culprits_of(trials, false)) {
    if (is_one_of(clients.protected_, user) || is_component(user)) continue;
    const ClientRequests requests = requests_of(trials.arrivals(), now, user);
    if (!requests.own_levels.empty()) continue;
    if (const std::optional<SuggestChange> change = level_for(now, user, false, requests))
      levers.push_back(isolation_lever(*change));
  }
}

}  // namespace

SuggestChange Lever::at(std::size_t index) const {
  SuggestChange out = change;
  out.to = values[index];
  return out;
}

std::vector<std::string> culprits_of(Trials& trials, bool asked_for) {
  std::vector<std::string> out;
  for (const WhyCulprit& culprit : trials.why(asked_for).culprits)
    if (culprit.by == WhyBy::user || culprit.by == WhyBy::fleet) out.push_back(culprit.name);
  return out;
}

Lever isolation_lever(const SuggestChange& level) {
  Lever out;
  out.change = level;
  out.values.assign(kIsolatedShares.begin(), kIsolatedShares.end());
  for (std::size_t i = 0; i < out.values.size(); ++i) out.probes.push_back(i);
  out.is_choice = true;
  return out;
}

Lever seats_lever(const ReplayOptions& base, int most) {
  std::vector<Lever> out;
  add(out, SuggestField::seats, {}, base.server_concurrency_limit, most);
  return out.front();
}

std::vector<Lever> find_levers(Trials& trials, const Plan& fixed, int most_seats) {
  std::vector<Lever> out;
  const std::set<std::string> trouble = levels_in_trouble(trials, fixed);
  const Config& config = trials.base().config;
  const int all_shares = shares_of_all(config);
  for (const PriorityLevel& level : config.priority_levels)
    if (level.limited && trouble.contains(level.meta.name)) add_level_levers(out, level, all_shares);
  if (!trouble.empty()) add_neighbour_levers(out, trials, trouble);
  if (!trouble.empty()) add_borrower_levers(out, trials, trouble);
  add_client_levers(out, trials, fixed, !trouble.empty());
  std::erase_if(out, [&](const Lever& lever) {
    const SuggestField field = lever.change.field;
    return (field == SuggestField::borrowing || field == SuggestField::lendable) &&
           !has(trials.base().version, Feature::borrowing);
  });
  if (most_seats > trials.base().server_concurrency_limit) out.push_back(seats_lever(trials.base(), most_seats));
  return out;
}

}  // namespace apf
