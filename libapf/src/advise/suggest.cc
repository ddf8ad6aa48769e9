// suggest(): a log and goals in, the smallest change out; or why there is none.
#include <apf/advise.h>
#include <apf/error.h>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "advise/demand.h"
#include "advise/patch.h"
#include "advise/search.h"
#include "base/releases.h"
#include "base/sort_stably.h"
#include "base/thousands.h"
#include "replay/worst_case.h"

namespace apf {

namespace {

constexpr int kMostTimesSeats = 8;
constexpr std::size_t kListed = 5;
constexpr Nanos kNoticed = 10 * kMillisecond;  // a longer wait than before, if by a twentieth at least
constexpr std::uint64_t kReplaysOfProof = 150;
constexpr std::size_t kNearest = 3;  // plans that are tried with more seats

void check(const SuggestOptions& options) {
  if (options.goals.empty() && options.isolate.empty() && options.protect.empty() && !options.isolate_culprits)
    throw Error("there is nothing to reach: give a goal, or a client to protect or to isolate");
  if (options.replay.in_flight) throw Error("seats are those of priority levels: API Priority and Fairness is off");
}

class Suggestion {
 public:
  explicit Suggestion(const SuggestOptions& options) : options_(options), trials_(options) {}

  SuggestReport run();

 private:
  void add_level(const std::string& user, bool keeps_seats);
  void add_protection(const std::string& user);
  void add_isolation();
  void add_goals();
  void prove(Search& search);
  void count_demand();
  void fill(const Plan& plan);
  void add_levels(const std::vector<ReplayReport>& after);
  void add_losers(const ReplayReport& after, const Plan& plan);
  void add_rejected(const Search& search);

  const SuggestOptions& options_;
  Trials trials_;
  Plan fixed_;
  SuggestReport report_;
};

void Suggestion::add_level(const std::string& user, bool keeps_seats) {
  ReplayOptions so_far = trials_.base();
  apply_plan(fixed_, so_far);
  const std::optional<SuggestChange> change = level_for(so_far.config, user, keeps_seats);
  if (!change)
    throw Error("no FlowSchema can be for " + user + ": the name is none of one client, or no number is free");
  fixed_ = with_change(fixed_, *change);
  ReplayOptions with_level = trials_.base();
  apply_plan(fixed_, with_level);
  const std::vector<std::string> levels = trials_.log().levels_of_flows(with_level);
  if (std::find(levels.begin(), levels.end(), change->level) == levels.end())
    throw Error("no request of the log would go to a level for " + user +
                ": the log has none of this client, or FlowSchemas that come first take them");
  if (!keeps_seats) return;
  const std::string level = change->level;
  const Nanos bound = options_.protect_bound;
  SuggestGoal& goal = trials_.goals().emplace_back();
  goal.text = user + " is not refused and waits at most " + format_go_duration(bound) + " (p99)";
  goal.subject = level;
  goal.miss = [level, bound](const ReplayReport& report) {
    for (const LevelReport& l : report.levels) {
      if (l.name != level) continue;
      const double late = static_cast<double>(l.tally.wait.quantile(0.99) - bound);
      return std::max(0.0, late / static_cast<double>(std::max<Nanos>(bound, 1))) +
             static_cast<double>(l.tally.rejected());
    }
    return 1.0;
  };
  goal.found = [level](const ReplayReport& report) -> std::string {
    for (const LevelReport& l : report.levels)
      if (l.name == level)
        return with_thousands(l.tally.rejected()) + " are refused, and p99 is " +
               format_go_duration(l.tally.wait.quantile(0.99) / kMillisecond * kMillisecond);
    return "it has no level of its own";
  };
}

// Others wait and are refused no more often than before; without other goals that is what is wanted.
void Suggestion::add_isolation() {
  std::vector<std::string> isolated = options_.isolate;
  if (options_.isolate_culprits)
    for (const std::string& user : culprits_of(trials_.before().front(), trials_.base().config))
      if (std::find(isolated.begin(), isolated.end(), user) == isolated.end()) isolated.push_back(user);
  if (isolated.empty() && trials_.goals().empty() && trials_.before().front().total.rejected() > 0)
    throw Error("the requests that are refused are not known by user, so nobody can be isolated: name the client");
  for (const std::string& user : isolated) add_level(user, false);
  if (isolated.empty() || !options_.goals.empty() || !options_.protect.empty()) return;
  const Plan plan = fixed_;
  std::uint64_t most = 0;
  for (const ReplayReport& report : trials_.before()) most = std::max(most, hurt_of(report, plan));
  SuggestGoal& goal = trials_.goals().emplace_back();
  goal.text = "others wait or are refused no more often than now";
  goal.subject = "total";
  goal.miss = [plan, most](const ReplayReport& report) {
    const std::uint64_t hurt = hurt_of(report, plan);
    return hurt <= most ? 0 : static_cast<double>(hurt - most) / static_cast<double>(std::max<std::uint64_t>(most, 1));
  };
  goal.found = [plan](const ReplayReport& report) {
    return with_thousands(hurt_of(report, plan)) + " of their requests wait or are refused";
  };
}

void Suggestion::add_goals() {
  for (const std::string& user : options_.protect) add_level(user, true);
  add_isolation();
  for (const SuggestGoal& goal : trials_.goals()) {
    report_.goals.push_back(goal.text);
    report_.found.push_back(goal.found ? goal.found(trials_.before().front()) : std::string());
  }
}

// What arrives in some stretch of time and may not wait longer takes more seats than there are.
void Suggestion::count_demand() {
  const ReplayOptions& base = trials_.base();
  const ReplayReport& before = trials_.before().front();
  if (before.undecided || !base.scales.empty() || !base.config_changes.empty() || base.from || base.to) return;
  if (!has(base.version, Feature::exact_wait_limit)) return;
  for (const SuggestGoal& goal : trials_.goals()) {
    if (!goal.all_served) continue;
    std::optional<Nanos> longest = goal.longest_wait;
    for (const SuggestGoal& other : trials_.goals())
      if (other.subject == goal.subject && other.longest_wait)
        longest = std::min(longest.value_or(*other.longest_wait), *other.longest_wait);
    const bool is_level = std::any_of(before.levels.begin(), before.levels.end(),
                                      [&](const LevelReport& level) { return level.name == goal.subject; });
    if (!is_level && goal.subject != "total") continue;
    const Demand demand = densest_demand(trials_.log(), base, is_level ? goal.subject : std::string(), longest);
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
  trials_.allow_more(kReplaysOfProof);
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
  report_.proof.seats = seats_of(least->plan);
  Plan one_less = least->plan;
  for (SuggestChange& change : one_less)
    if (change.field == SuggestField::seats) --change.to;
  const Trial missed = trials_.run(one_less);
  report_.proof.goal = missed.goal;
  report_.proof.found = missed.goal.empty() ? missed.finding : missed.found;
  report_.proof.with = least->plan;
  std::erase_if(report_.proof.with, [](const SuggestChange& c) { return c.field == SuggestField::seats; });
}

// Flows of before and after, by whose they are.
std::map<std::string, std::pair<std::uint64_t, Nanos>> fared_by_flow(const ReplayReport& report, const Plan& plan) {
  std::map<std::string, std::pair<std::uint64_t, Nanos>> out;
  for (const FlowReport& flow : report.all_flows) {
    std::string name = flow.distinguisher.empty() ? flow.flow_schema : flow.distinguisher;
    for (const SuggestChange& change : plan)
      if (change.field == SuggestField::level && change.level == flow.flow_schema && flow.distinguisher.empty())
        name = change.user;
    auto& [refused, p99] = out[name];
    refused += flow.tally.rejected();
    p99 = std::max(p99, flow.tally.wait.quantile(0.99));
  }
  return out;
}

void Suggestion::add_losers(const ReplayReport& after, const Plan& plan) {
  const auto before = fared_by_flow(trials_.before().front(), {});
  std::vector<SuggestLoser>& losers = report_.losers;
  for (const auto& [flow, now] : fared_by_flow(after, plan)) {
    const auto was = before.find(flow);
    const std::pair<std::uint64_t, Nanos> then = was == before.end() ? std::pair<std::uint64_t, Nanos>() : was->second;
    if (now.first <= then.first && now.second <= then.second + std::max(kNoticed, then.second / 20)) continue;
    losers.push_back({flow, then.first, now.first, then.second, now.second});
  }
  const auto more = [](const SuggestLoser& l) {
    return std::pair(static_cast<double>(l.rejected_after) - static_cast<double>(l.rejected_before),
                     l.p99_after - l.p99_before);
  };
  sort_stably(losers, [&](const SuggestLoser& a, const SuggestLoser& b) { return more(a) > more(b); });
  if (losers.size() > kListed) losers.resize(kListed);
}

std::optional<SuggestLevel::Figures> figures_of(const std::vector<ReplayReport>& reports, const std::string& name) {
  std::optional<SuggestLevel::Figures> out;
  for (const ReplayReport& report : reports) {
    for (const LevelReport& level : report.levels) {
      if (level.name != name) continue;
      const std::uint64_t rejected = level.tally.rejected();
      const Nanos p99 = level.tally.wait.quantile(0.99);
      if (!out) out = {level.tally.requests, rejected, rejected, rejected, p99, p99, p99, level.nominal_cl};
      out->rejected_low = std::min(out->rejected_low, rejected);
      out->rejected_high = std::max(out->rejected_high, rejected);
      out->p99_low = std::min(out->p99_low, p99);
      out->p99_high = std::max(out->p99_high, p99);
    }
  }
  return out;
}

void Suggestion::add_levels(const std::vector<ReplayReport>& after) {
  std::set<std::string> names;
  for (const auto* reports : {&trials_.before(), &after})
    for (const LevelReport& level : reports->front().levels)
      if (!level.exempt && level.tally.requests > 0) names.insert(level.name);
  for (const std::string& name : names)
    report_.levels.push_back({name, figures_of(trials_.before(), name), figures_of(after, name)});
}

void Suggestion::fill(const Plan& plan) {
  report_.met = true;
  report_.changes = plan;
  report_.cost = cost_of(plan);
  ReplayOptions changed = trials_.base();
  apply_plan(plan, changed);
  report_.seats_after = changed.server_concurrency_limit;
  const std::vector<ReplayReport>& after = plan.empty() ? trials_.before() : trials_.best_reports();
  add_levels(after);
  add_losers(after.front(), plan);
  PatchedTexts patched = patch(options_.texts, plan, trials_.base());
  report_.texts = std::move(patched.texts);
  report_.objects = std::move(patched.objects);
}

void Suggestion::add_rejected(const Search& search) {
  for (const Trial& trial : search.others()) {
    if (report_.rejected.size() == kListed) return;
    // Of plans that differ in numbers alone the nearest says it all.
    const auto alike = [&](const Plan& other) {
      return std::equal(
          other.begin(), other.end(), trial.plan.begin(), trial.plan.end(),
          [](const SuggestChange& a, const SuggestChange& b) { return a.field == b.field && a.level == b.level; });
    };
    const auto is_known = [&](const SuggestTried& other) { return alike(other.changes); };
    // What differs from the best in numbers of fields is larger; other shares of a new level are a choice.
    const bool is_choice = std::all_of(trial.plan.begin(), trial.plan.end(), [](const SuggestChange& c) {
      return c.field == SuggestField::level && !c.keeps_seats;
    });
    if (search.best() && alike(search.best()->plan) && !is_choice) continue;
    if (!is_choice && std::any_of(report_.rejected.begin(), report_.rejected.end(), is_known)) continue;
    report_.rejected.push_back({trial.plan, trial.miss, trial.cost, trial.goal, trial.found, trial.finding});
  }
}

SuggestReport Suggestion::run() {
  report_.log = trials_.before().front();
  settle_lists(report_.log, trials_.base().top, false);
  report_.variants = static_cast<int>(trials_.variants());
  report_.seats_before = report_.seats_after = trials_.base().server_concurrency_limit;
  if (trials_.interrupted()) {  // there may be no replay to hold against the goals
    report_.interrupted = true;
    return std::move(report_);
  }
  if (options_.most_seats > 0 && options_.most_seats < report_.seats_before)
    throw Error(fmt::format("there are {} seats already, and they may be raised to {} only: give a larger number",
                            report_.seats_before, options_.most_seats));
  add_goals();
  double miss = 0;
  for (const SuggestGoal& goal : trials_.goals()) miss = std::max(miss, trials_.miss_before(goal));
  report_.met_before = fixed_.empty() && miss <= 0;
  if (report_.met_before) {
    fill({});
  } else {
    Search search(trials_, fixed_, options_.most_seats);
    search.run();
    report_.out_of_budget = trials_.out_of_budget();
    add_rejected(search);
    if (search.best()) {
      fill(search.best()->plan);
    } else if (!report_.out_of_budget && !trials_.interrupted()) {
      count_demand();
      prove(search);
      report_.out_of_budget = !report_.proof.seats && trials_.out_of_budget();
    }
  }
  report_.interrupted = trials_.interrupted();
  report_.replays = trials_.replays();
  report_.configurations = trials_.configurations();
  return std::move(report_);
}

}  // namespace

SuggestReport suggest(const SuggestOptions& options) {
  check(options);
  return Suggestion(options).run();
}

}  // namespace apf
