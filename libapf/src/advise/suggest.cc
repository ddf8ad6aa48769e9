// suggest(): a log and goals in, the smallest change out; or why there is none.
#include <apf/advise.h>
#include <apf/error.h>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "advise/client_goals.h"
#include "advise/demand.h"
#include "advise/figures.h"
#include "advise/fixed_levels.h"
#include "advise/patch.h"
#include "advise/search.h"
#include "base/identities.h"
#include "base/releases.h"
#include "base/sort_stably.h"
#include "base/thousands.h"
#include "replay/books/worst_case.h"
#include "replay/engine/run_options.h"
#include "replay/passes/contradiction.h"
#include "replay/passes/harm.h"

namespace apf {

namespace {

constexpr int kMostTimesSeats = 8;
constexpr std::size_t kListed = 5;
constexpr Nanos kNoticed = 10 * kMillisecond;  // counts as longer only if also at least 5 % longer
constexpr std::uint64_t kPartForProof = 5;     // of the budget: a fifth
constexpr std::size_t kNearest = 3;            // plans that are tried with more seats

void check(const SuggestOptions& options) {
  if (options.goals.empty() && options.isolate.empty() && options.protect.empty() && !options.isolate_culprits)
    throw Error("there is nothing to reach: give a goal, or a client to protect or to isolate");
  if (!options.replay.config_changes.empty())
    throw Error(
        "a suggestion changes one configuration, and here it changes during the log: leave out --config-at, and "
        "choose the requests of one configuration by --from and --to");
  if (options.replay.in_flight) throw Error("seats are those of priority levels: API Priority and Fairness is off");
}

class Suggestion {
 public:
  explicit Suggestion(const SuggestOptions& options) : options_(options), trials_(options) {}

  SuggestReport run();

 private:
  // Levels for the clients that the options name and for some culprits, and what they come to by themselves.
  struct Attempt {
    Trials::Aim aim;  // while it is not that of the trials
    Plan fixed;
    std::unique_ptr<Search> search;
    Trial trial;
    Harm gain;  // what others are spared
  };
  bool is_met_before(const Plan& fixed);
  Attempt begin_attempt(const std::vector<std::string>& culprits);
  void finish(Attempt& attempt);
  void judge(Attempt& attempt, const Trial& trial);
  Harm gain_of(const Plan& plan);
  bool helps_nobody(const Plan& plan);
  std::unique_ptr<Search> isolate_and_protect();
  void add_goals();
  void prove(Search& search);
  void count_demand(const Search& search);
  void fill(const Plan& plan);
  Remarks sizes_due_to_lint(const Plan& plan);
  void add_levels(const std::vector<ReplayReport>& after);
  void add_losers(const std::vector<ReplayReport>& after);
  void add_rejected(const Search& search);

  const SuggestOptions& options_;
  Trials trials_;
  std::vector<std::string> culprits_;  // of whom some are isolated
  SuggestReport report_;
};

std::string found_in(const SuggestGoal& goal, const std::vector<ReplayReport>& reports) {
  if (goal.found_in_all) return goal.found_in_all(reports);
  return goal.found ? goal.found(reports.front()) : std::string();
}

bool Suggestion::is_met_before(const Plan& fixed) {
  return fixed.empty() && std::all_of(trials_.goals().begin(), trials_.goals().end(),
                                      [&](const SuggestGoal& goal) { return trials_.miss_before(goal) <= 0; });
}

// With levels of a few sizes: enough to see who gains by it.
Suggestion::Attempt Suggestion::begin_attempt(const std::vector<std::string>& culprits) {
  Attempt out;
  out.fixed = add_client_goals(options_, culprits, trials_);
  judge(out, rough_sizes(trials_, out.fixed));
  return out;
}

void Suggestion::finish(Attempt& attempt) {
  attempt.search = std::make_unique<Search>(trials_, attempt.fixed, options_.most_seats);
  judge(attempt, trials_.run(attempt.search->fixed()));
}

void Suggestion::judge(Attempt& attempt, const Trial& trial) {
  attempt.trial = trial;
  attempt.fixed = trial.plan;
  if (trial.met()) attempt.gain = gain_of(trial.plan);
}

// Whether one gain is more than the other, by more than a tenth: else the smaller change is the better one.
int noticed_gain(const Harm& a, const Harm& b) {
  constexpr std::int64_t kPart = 10, kFew = 5;
  for (std::size_t kind = 0; kind <= Harm::long_waits; ++kind) {
    const std::int64_t by = a.of[kind] - b.of[kind],
                       least = std::max(std::abs(a.of[kind]), std::abs(b.of[kind])) / kPart;
    if (std::abs(by) > std::max(least, kFew)) return by > 0 ? 1 : -1;
  }
  return 0;
}

// What those are spared who are no culprits, whomever the plan isolates: the answers differ in that.
Harm Suggestion::gain_of(const Plan& plan) {
  NamedClients clients = trials_.clients();
  clients.isolated.insert(clients.isolated.end(), culprits_.begin(), culprits_.end());
  Harm out;
  const std::vector<ReplayReport>& after = trials_.reports_of(plan);
  for (std::size_t i = 0; i < std::min(after.size(), trials_.before().size()); ++i) {
    const IsIsolated is_isolated = isolated_by(plan, clients);
    const Harm was = harm_of(trials_.before()[i], is_isolated), is = harm_of(after[i], is_isolated);
    for (std::size_t kind = 0; kind < Harm::isolated; ++kind) out.of[kind] += was.of[kind] - is.of[kind];
  }
  return out;
}

// Others have to gain by it, and do not beyond chance.
bool Suggestion::helps_nobody(const Plan& plan) {
  if (!trials_.clients().helps_others) return false;
  std::vector<Harm> before, after;
  const IsIsolated is_isolated = isolated_by(plan, trials_.clients());
  for (const ReplayReport& report : trials_.before()) before.push_back(harm_of(report, is_isolated));
  for (const ReplayReport& report : trials_.reports_of(plan)) after.push_back(harm_of(report, is_isolated));
  return paired_harm(before, after) == 0;
}

// All culprits are isolated; or one alone, where others gain more by it, or only that meets the goals. Those that
// promise most come first, so that a small budget is spent on them. Nothing: there is nothing to change.
std::unique_ptr<Search> Suggestion::isolate_and_protect() {
  const std::vector<std::vector<std::string>> choices = culprits_to_isolate(options_, trials_);
  if (choices.size() == 1) {
    const Plan fixed = add_client_goals(options_, choices.front(), trials_);
    return is_met_before(fixed) ? nullptr : std::make_unique<Search>(trials_, fixed, options_.most_seats);
  }
  for (const std::vector<std::string>& culprits : choices)
    culprits_.insert(culprits_.end(), culprits.begin(), culprits.end());
  Trials::Aim start;
  start.goals = trials_.goals();
  std::vector<Attempt> attempts;
  for (const std::vector<std::string>& culprits : choices) {
    if (!attempts.empty() && trials_.stopped()) break;
    Attempt attempt = begin_attempt(culprits);
    attempt.aim = trials_.aim_at(start);
    attempts.push_back(std::move(attempt));
  }
  const auto is_better = [](const Attempt& a, const Attempt& b) {
    if (!a.trial.met() || !b.trial.met()) return a.trial.better_than(b.trial);
    const int more = noticed_gain(a.gain, b.gain);
    if (more != 0) return more > 0;
    return a.trial.cost != b.trial.cost ? a.trial.cost < b.trial.cost : b.gain < a.gain;
  };
  sort_stably(attempts, is_better);
  Attempt* best = nullptr;
  for (Attempt& attempt : attempts) {
    if (best && trials_.stopped()) break;
    trials_.aim_at(std::move(attempt.aim));
    finish(attempt);
    attempt.aim = trials_.aim_at(start);
    if (!best || is_better(attempt, *best)) best = &attempt;
  }
  trials_.aim_at(std::move(best->aim));
  return is_met_before(best->fixed) ? nullptr : std::move(best->search);
}

void Suggestion::add_goals() {
  for (const SuggestGoal& goal : trials_.goals()) {
    report_.goals.push_back(goal.text);
    report_.found.push_back(found_in(goal, trials_.before()));
  }
}

// What arrives in some stretch of time and may not wait longer takes more seats than there are. Clients that wait for
// answers, or hang up, send less when there are fewer.
void Suggestion::count_demand(const Search& search) {
  const ReplayOptions& base = trials_.base();
  const ReplayReport& before = trials_.before().front();
  if (before.undecided || !base.scales.empty() || !base.config_changes.empty() || base.from || base.to) return;
  if (!has(base.version, Feature::exact_wait_limit)) return;
  if (!base.client_models.empty() || base.client_models_by_log || !base.client_timeouts.empty()) return;
  Plan new_levels;
  for (const Trial& trial : search.others())
    for (const SuggestChange& change : trial.plan)
      if (change.field == SuggestField::level) new_levels = with_change(new_levels, change);
  for (const SuggestGoal& goal : trials_.goals()) {
    if (!goal.all_served) continue;
    std::optional<Nanos> longest = goal.longest_wait;
    for (const SuggestGoal& other : trials_.goals())
      if (other.subject == goal.subject && other.longest_wait)
        longest = std::min(longest.value_or(*other.longest_wait), *other.longest_wait);
    const bool is_level = std::any_of(before.levels.begin(), before.levels.end(),
                                      [&](const LevelReport& level) { return level.name == goal.subject; });
    if (!is_level && goal.subject != "total") continue;
    const Demand demand =
        densest_demand(trials_.arrivals(), base, is_level ? goal.subject : std::string(), new_levels, longest);
    const int seats = static_cast<int>(std::ceil(demand.seats() - 1e-9));
    // Limits of levels are rounded up: there may be a seat more for each of them.
    const int all =
        std::max(options_.most_seats, base.server_concurrency_limit) + static_cast<int>(before.levels.size());
    if (seats <= all || seats <= report_.proof.seats_by_counting) continue;
    report_.proof.subject = goal.subject;
    report_.proof.from = demand.from;
    report_.proof.to = demand.to;
    report_.proof.seat_seconds = demand.seat_seconds;
    report_.proof.requests = demand.requests;
    report_.proof.seats_by_counting = seats;
  }
}

// With how many seats there would be such a configuration.
void Suggestion::prove(Search& search) {
  std::vector<Plan> plans;
  for (const Trial& trial : search.others())
    if (trial.finding.empty() && plans.size() < kNearest) plans.push_back(trial.plan);
  plans.push_back(search.everything());
  plans.push_back(search.fixed());
  const int seats = std::max(trials_.base().server_concurrency_limit, options_.most_seats);
  int most = trials_.base().server_concurrency_limit * kMostTimesSeats;
  const auto seats_of = [&](const Plan& plan) {
    for (const SuggestChange& change : plan)
      if (change.field == SuggestField::seats) return change.to;
    return seats;
  };
  std::optional<Trial> least;
  for (const Plan& plan : plans) {
    if (trials_.stopped() || most <= seats) break;
    const std::optional<Trial> found = search.least_seats(plan, most);
    if (!found || !found->met()) continue;
    least = found;
    most = seats_of(found->plan) - 1;
  }
  if (!least) return;
  report_.proof.with = search.without_needless(least->plan);
  report_.proof.seats = seats_of(report_.proof.with);
  Plan one_less = report_.proof.with;
  for (SuggestChange& change : one_less)
    if (change.field == SuggestField::seats) --change.to;
  const Trial missed = trials_.run(one_less);
  report_.proof.goal = missed.goal;
  report_.proof.found = missed.goal.empty() ? missed.finding : missed.found;
  std::erase_if(report_.proof.with, [](const SuggestChange& c) { return c.field == SuggestField::seats; });
}

// By pairs of replays that share seed and phase. Who is worse off in some of them alone has neither mark.
void Suggestion::add_losers(const std::vector<ReplayReport>& after) {
  struct Pairs {
    std::vector<double> refused, waits;
    double noticed = 0;
  };
  std::map<std::string, Pairs> pairs;
  const std::size_t count = std::min(trials_.before().size(), after.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::map<std::string, Figures> was = figures_by_user(trials_.before()[i]);
    for (const auto& [user, now] : figures_by_user(after[i])) {
      const auto known = was.find(user);
      const Figures then = known == was.end() ? Figures() : known->second;
      Pairs& pair = pairs[user];
      pair.refused.push_back(static_cast<double>(now.rejected) - static_cast<double>(then.rejected));
      pair.waits.push_back(static_cast<double>(now.p99 - then.p99));
      pair.noticed = std::max(pair.noticed, static_cast<double>(std::max(kNoticed, then.p99 / 20)));
    }
  }
  const std::map<std::string, Figures> before = figures_by_user(trials_.before()), now = figures_by_user(after);
  const auto any_above = [](const std::vector<double>& all, double bound) {
    return std::any_of(all.begin(), all.end(), [&](double one) { return one > bound; });
  };
  for (const auto& [user, pair] : pairs) {
    if (!any_above(pair.refused, 0) && !any_above(pair.waits, pair.noticed)) continue;
    const auto was = before.find(user);
    SuggestLoser loser{user, was == before.end() ? Figures() : was->second, now.at(user)};
    loser.is_protected = is_control_plane(user);
    loser.more_refused = paired_difference(pair.refused, 0) > 0;
    loser.longer_waits = paired_difference(pair.waits, pair.noticed) > 0;
    report_.losers.push_back(std::move(loser));
  }
  const auto by_harm = [](const SuggestLoser& l) {
    return std::tuple(l.more_refused, l.longer_waits, l.more_refused && l.is_protected,
                      static_cast<double>(l.after.rejected) - static_cast<double>(l.before.rejected),
                      l.after.p99 - l.before.p99);
  };
  sort_stably(report_.losers, [&](const SuggestLoser& a, const SuggestLoser& b) { return by_harm(a) > by_harm(b); });
}

void Suggestion::add_levels(const std::vector<ReplayReport>& after) {
  std::set<std::string> names;
  for (const auto* reports : {&trials_.before(), &after})
    for (const LevelReport& level : reports->front().levels)
      if (!level.exempt && level.tally.requests > 0) names.insert(level.name);
  for (const std::string& name : names)
    report_.levels.push_back({name, figures_of(trials_.before(), name), figures_of(after, name)});
}

// Levels that have so many shares because of lint, and not because of the load: what one share less comes to.
Remarks Suggestion::sizes_due_to_lint(const Plan& plan) {
  Remarks out;
  for (const SuggestChange& change : plan) {
    const bool is_level = change.field == SuggestField::level;
    if (!is_level && (change.field != SuggestField::shares || change.to <= change.from + 1)) continue;
    SuggestChange less = change;
    if (--less.to < 1) continue;
    const Plan smaller = with_change(plan, less);
    const std::string objection = trials_.lint().objection(smaller);
    if (objection.empty()) continue;
    const Trial trial = trials_.run(smaller);
    if (trial.done && trial.miss > 0) continue;  // the load needs them, too
    out[change.level] = fmt::format("not fewer: with {}{}\n{}", less.to,
                                    trial.done ? " the goals are also met in one replay, but" : "", objection);
  }
  return out;
}

void Suggestion::fill(const Plan& plan) {
  report_.met = true;
  report_.changes = plan;
  report_.cost = cost_of(plan);
  ReplayOptions changed = trials_.base();
  apply_plan(plan, changed);
  report_.seats_after = changed.server_concurrency_limit;
  const std::vector<ReplayReport>& after = plan.empty() ? trials_.before() : trials_.reports_of(plan);
  for (const SuggestGoal& goal : trials_.goals()) {
    report_.found_after.push_back(found_in(goal, after));
    if (!plan.empty() && !goal.margin.empty()) report_.found_after.back() += " (asked of changes: " + goal.margin + ")";
  }
  add_levels(after);
  add_losers(after);
  PatchedTexts patched = patch(options_.texts, plan, trials_.base(), suggested_levels(trials_.base().version),
                               sizes_due_to_lint(plan), options_.no_files);
  report_.texts = std::move(patched.texts);
  std::erase_if(report_.texts, [&](const ConfigText& text) { return options_.no_files.contains(text.name); });
  report_.objects = std::move(patched.objects);
}

bool same_fields(const Plan& a, const Plan& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), is_same_field);
}

bool has_fields_of(const Plan& all, const Plan& some) {
  return std::all_of(some.begin(), some.end(), [&](const SuggestChange& change) { return find_change(all, change); });
}

// The worst kind of harm of which it does more than the best change.
std::string worse_than(const Trial& best, const Trial& trial) {
  constexpr const char* kKinds[] = {"requests of protected clients are refused", "requests of others are refused",
                                    "requests wait more than 1s", "requests wait",
                                    "requests of isolated clients suffer"};
  if (best.harm.empty() || trial.harm.empty()) return {};
  const Harm &then = best.harm.front(), &now = trial.harm.front();
  for (std::size_t kind = 0; kind < Harm::kKinds; ++kind) {
    if (now.of[kind] < then.of[kind]) return {};
    if (now.of[kind] > then.of[kind])
      return fmt::format("in one replay, {} {} instead of {}", with_thousands(static_cast<std::uint64_t>(now.of[kind])),
                         kKinds[kind], with_thousands(static_cast<std::uint64_t>(then.of[kind])));
  }
  return {};
}

// Ideas, not numbers: of plans that change the same fields the nearest says it all, and a change besides that does not
// help says nothing.
SuggestTried tried(const Trial& trial, const Trial* best) {
  return {trial.plan,
          trial.miss,
          trial.cost,
          trial.goal,
          trial.found,
          trial.finding,
          best && trial.met() ? worse_than(*best, trial) : std::string()};
}

void Suggestion::add_rejected(const Search& search) {
  const Trial* best = search.best() ? &*search.best() : nullptr;
  std::set<std::string> objections;
  double before = 0;
  for (const SuggestGoal& goal : trials_.goals()) before = std::max(before, trials_.miss_before(goal));
  const std::vector<Trial> others = search.others();
  const Trial* other_numbers = nullptr;  // of the same idea: where there was no other one
  for (const Trial& trial : others) {
    if (trial.miss <= 0 && !trial.finding.empty()) {
      ++report_.objected;
      objections.insert(trial.finding);
    }
    if (report_.rejected.size() == kListed) continue;
    if (best && has_fields_of(trial.plan, best->plan)) {
      if (!other_numbers && same_fields(trial.plan, best->plan)) other_numbers = &trial;
      continue;
    }
    if (trial.miss > 0 && trial.miss >= before) continue;  // no better than without changes
    const bool says_nothing =
        std::any_of(report_.rejected.begin(), report_.rejected.end(), [&](const SuggestTried& other) {
          return same_fields(other.changes, trial.plan) ||
                 (has_fields_of(trial.plan, other.changes) && trial.miss >= other.miss && !other.changes.empty());
        });
    if (says_nothing) continue;
    report_.rejected.push_back(tried(trial, best));
  }
  if (report_.rejected.empty() && other_numbers) report_.rejected.push_back(tried(*other_numbers, best));
  if (objections.size() == 1) report_.objection = *objections.begin();
}

SuggestReport Suggestion::run() {
  report_.log = trials_.before().front();
  finish_lists(report_.log, trials_.base().top, false);
  if (differs_from_log(trials_.base()))
    hold_against_log(trials_.base(), report_.log, [&](const ReplayOptions& own) { return trials_.replay(own); });
  else warn_of_contradiction(trials_.base(), report_.log, trials_.before());
  report_.variants = static_cast<int>(trials_.counts().variants);
  report_.seats_before = report_.seats_after = trials_.base().server_concurrency_limit;
  if (trials_.interrupted()) {  // there may be no replay to hold against the goals
    report_.interrupted = true;
    return std::move(report_);
  }
  if (report_.log.requests == 0) return std::move(report_);  // nothing to hold goals against
  if (options_.most_seats > 0 && options_.most_seats < report_.seats_before)
    throw Error(fmt::format("there are {} seats already, and they may be raised to {} only: give a larger number",
                            report_.seats_before, options_.most_seats));
  trials_.keep_back(options_.stop ? 0 : options_.budget / kPartForProof);
  const std::unique_ptr<Search> found = isolate_and_protect();
  add_goals();
  report_.met_before = !found;
  if (report_.met_before) {
    fill({});
  } else {
    Search& search = *found;
    search.run();
    const bool is_cut = trials_.out_of_budget();
    trials_.give_back();
    add_rejected(search);
    const std::optional<Trial>& best = search.best() ? search.best() : search.harmful();
    if (best && helps_nobody(best->plan)) {
      report_.objected = 1;
      report_.objection = "others would gain nothing by it beyond chance";
    } else if (best) {
      report_.harms = !search.best();
      fill(best->plan);
      report_.out_of_budget = is_cut;
    } else if (!trials_.interrupted()) {
      count_demand(search);
      prove(search);
      report_.out_of_budget = is_cut || (!report_.proof.seats && trials_.out_of_budget());
    }
  }
  report_.interrupted = trials_.interrupted();
  report_.replays = trials_.counts().replays;
  report_.configurations = trials_.counts().configurations;
  return std::move(report_);
}

}  // namespace

SuggestReport suggest(const SuggestOptions& options) {
  check(options);
  return Suggestion(options).run();
}

}  // namespace apf
