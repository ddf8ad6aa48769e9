#include "advise/client_goals.h"

#include <apf/error.h>

#include <algorithm>

#include "advise/client_level.h"
#include "advise/figures.h"
#include "advise/levers.h"
#include "base/thousands.h"

namespace apf {

namespace {

class ClientGoals {
 public:
  ClientGoals(const SuggestOptions& options, Trials& trials) : options_(options), trials_(trials) {}
  void add();
  Plan fixed() && { return std::move(fixed_); }

 private:
  void protect(const std::string& user);
  void add_protection(const std::string& user, const std::string& level, bool is_new);
  void isolate(const std::string& user);
  void add_isolation_goal();
  std::vector<std::string> levels_with_requests(const Plan& plan) const;
  std::vector<std::string> own_levels_in_use(const std::string& user) const;
  std::optional<SuggestChange> new_level(const std::string& user, bool keeps_seats,
                                         const std::vector<std::string>& own);
  std::vector<std::string> troublemakers() const;
  std::vector<std::string> isolated_clients() const;

  const SuggestOptions& options_;
  Trials& trials_;
  Plan fixed_;
};

std::vector<std::string> ClientGoals::levels_with_requests(const Plan& plan) const {
  ReplayOptions options = trials_.base();
  apply_plan(plan, options);
  return trials_.arrivals().levels_of_flows(options);
}

std::vector<std::string> ClientGoals::own_levels_in_use(const std::string& user) const {
  std::vector<std::string> out = own_levels(trials_.base().config, user);
  if (out.empty()) return out;
  const std::vector<std::string> used = levels_with_requests(fixed_);
  std::erase_if(out,
                [&](const std::string& level) { return std::find(used.begin(), used.end(), level) == used.end(); });
  return out;
}

// For all requests of the client, or for those that go to none of its own levels. Nothing: it has those, and no free
// number behind their FlowSchemas gets others.
std::optional<SuggestChange> ClientGoals::new_level(const std::string& user, bool keeps_seats,
                                                    const std::vector<std::string>& own) {
  ReplayOptions so_far = trials_.base();
  apply_plan(fixed_, so_far);
  const std::optional<SuggestChange> change = level_for(so_far.config, user, keeps_seats, own);
  if (!change && !own.empty()) return std::nullopt;
  if (!change)
    throw Error("no FlowSchema can be for " + user + ": the name is none of one client, or no number is free");
  const Plan with_level = with_change(fixed_, *change);
  const std::vector<std::string> levels = levels_with_requests(with_level);
  const bool is_used = std::find(levels.begin(), levels.end(), change->level) != levels.end();
  if (!is_used && !own.empty()) return std::nullopt;
  if (!is_used)
    throw Error("no request of the log would go to a level for " + user +
                ": the log has none of this client, or FlowSchemas that come first take them");
  fixed_ = with_level;
  return change;
}

void ClientGoals::protect(const std::string& user) {
  const std::vector<std::string> own = own_levels_in_use(user);
  for (const std::string& level : own) add_protection(user, level, false);
  trials_.clients().protected_.push_back(user);
  if (const auto change = new_level(user, true, own)) add_protection(user, change->level, true);
}

void ClientGoals::add_protection(const std::string& user, const std::string& level, bool is_new) {
  const Nanos bound = options_.protect_bound;
  SuggestGoal& goal = trials_.goals().emplace_back();
  goal.text = user + " is not refused and waits at most " + format_go_duration(bound) + " (p99)" +
              (is_new ? std::string() : " in its level " + level);
  goal.subject = level;
  goal.all_served = true;
  goal.miss = [level, bound](const ReplayReport& report) {
    for (const LevelReport& l : report.levels) {
      if (l.name != level) continue;
      const double late = static_cast<double>(l.tally.wait.quantile(0.99) - bound);
      return std::max(0.0, late / static_cast<double>(std::max<Nanos>(bound, 1))) +
             static_cast<double>(l.tally.rejected());
    }
    return 1.0;
  };
  goal.found_in_all = [level, user](const std::vector<ReplayReport>& reports) -> std::string {
    if (const std::optional<Figures> figures = figures_of(reports, level)) return in_words(*figures);
    const std::optional<Figures> elsewhere = figures_of_client(reports, user);
    return "it has no level of its own" + (elsewhere ? ": " + in_words(*elsewhere, true) : std::string());
  };
  goal.found = [in_all = goal.found_in_all](const ReplayReport& report) { return in_all({report}); };
}

// A level that there is already is to be like a new one: it borrows from nobody, and lends half of its seats if it lent
// none.
void ClientGoals::isolate(const std::string& user) {
  const std::vector<std::string> own = own_levels_in_use(user);
  std::vector<std::string> kept;  // of who is protected
  for (const std::string& client : options_.protect)
    for (const std::string& level : own_levels(trials_.base().config, client)) kept.push_back(level);
  for (const std::string& level : own) {
    if (std::find(kept.begin(), kept.end(), level) != kept.end()) continue;
    trials_.clients().isolating_levels.insert(level);
    const LimitedLevel& limited = *find_level(trials_.base().config, level)->limited;
    const int borrowing = limited.borrowing_limit_percent.value_or(-1), lendable = limited.lendable_percent.value_or(0);
    if (borrowing != 0) fixed_ = with_change(fixed_, {SuggestField::borrowing, level, borrowing, 0, {}, 0, false});
    if (lendable == 0)
      fixed_ = with_change(fixed_, {SuggestField::lendable, level, 0, kIsolatedLendPercent, {}, 0, false});
  }
  new_level(user, false, own);
  trials_.clients().isolated.push_back(user);
}

// Whoever causes refusals of others; else whoever is refused because of itself.
std::vector<std::string> ClientGoals::troublemakers() const {
  const ReplayReport& before = trials_.before().front();
  const std::vector<std::string> of_others = culprits_of(before, trials_.base().config, true);
  return of_others.empty() ? culprits_of(before, trials_.base().config, false) : of_others;
}

std::vector<std::string> ClientGoals::isolated_clients() const {
  std::vector<std::string> isolated = options_.isolate;
  const std::vector<std::string> culprits = options_.isolate_culprits ? troublemakers() : std::vector<std::string>();
  for (const std::string& user : culprits)
    if (!is_one_of(isolated, user) && !is_one_of(options_.protect, user)) isolated.push_back(user);
  const bool needed = !trials_.goals().empty() || trials_.before().front().total.rejected() > 0;
  if (options_.isolate_culprits && isolated.empty() && culprits.empty() && needed)
    throw Error(
        "no client that is known by user causes a tenth of the refusals: name the client to isolate (--isolate "
        "sa:NAMESPACE/NAME)");
  return isolated;
}

// Others wait and are refused no more often than before.
void ClientGoals::add_isolation_goal() {
  const Plan plan = fixed_;
  const NamedClients clients = trials_.clients();
  std::uint64_t most = 0;
  for (const ReplayReport& report : trials_.before()) most = std::max(most, hurt_of(report, plan, clients));
  SuggestGoal& goal = trials_.goals().emplace_back();
  goal.text = "others wait or are refused no more often than now";
  goal.subject = "total";
  goal.miss = [plan, clients, most](const ReplayReport& report) {
    const std::uint64_t hurt = hurt_of(report, plan, clients);
    return hurt <= most ? 0 : static_cast<double>(hurt - most) / static_cast<double>(std::max<std::uint64_t>(most, 1));
  };
  goal.found_in_all = [plan, clients](const std::vector<ReplayReport>& reports) {
    std::uint64_t low = UINT64_MAX, high = 0;
    for (const ReplayReport& report : reports) {
      low = std::min(low, hurt_of(report, plan, clients));
      high = std::max(high, hurt_of(report, plan, clients));
    }
    return between(with_thousands(low), with_thousands(high)) + " of their requests wait or are refused";
  };
  goal.found = [in_all = goal.found_in_all](const ReplayReport& report) { return in_all({report}); };
}

// Without other goals, to hurt others no more is what is wanted of who is isolated.
void ClientGoals::add() {
  for (const std::string& user : options_.protect) protect(user);
  const std::vector<std::string> isolated = isolated_clients();
  for (const std::string& user : isolated) isolate(user);
  if (!isolated.empty() && options_.goals.empty() && options_.protect.empty()) add_isolation_goal();
}

}  // namespace

Plan add_client_goals(const SuggestOptions& options, Trials& trials) {
  ClientGoals goals(options, trials);
  goals.add();
  return std::move(goals).fixed();
}

}  // namespace apf
