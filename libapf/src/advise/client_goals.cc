#include "advise/client_goals.h"

#include <apf/error.h>
#include <apf/limits.h>
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "advise/client_level.h"
#include "advise/client_requests.h"
#include "advise/figures.h"
#include "advise/levers.h"
#include "base/releases.h"
#include "base/sort_stably.h"
#include "base/thousands.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

constexpr std::int32_t kLeastNumber = 2;  // 1 is that of exempt alone
constexpr const char* kWhoHasLevels =
    "one user, all service accounts of a namespace (sa:NAMESPACE/*), or all nodes (node:*)";

class ClientGoals {
 public:
  ClientGoals(const SuggestOptions& options, Trials& trials) : options_(options), trials_(trials) {}
  void add(const std::vector<std::string>& culprits);
  Plan fixed() && { return std::move(fixed_); }

 private:
  // Whom the options name, and by `less` whose requests are not meant: clients that are named by themselves.
  struct Client {
    std::string user;
    bool is_protected = false;
    std::vector<std::string> less = {};
    std::string in_words() const;
  };
  std::vector<Client> clients(const std::vector<std::string>& isolated) const;
  void protect(const Client& client);
  void add_protection(const std::string& text, const std::string& level, std::function<bool(const FlowReport&)> is_its);
  void isolate(const Client& client);
  void keep_within_its_seats(const std::string& level);
  void add_isolation_goal();
  ClientRequests requests_now(const Client& client) const;
  ClientRequests requests_to_serve(const Client& client) const;
  std::optional<SuggestChange> new_level(const Client& client, const ClientRequests& requests);
  void check_for_level(const Client& client, const ClientRequests& requests) const;
  std::string why_no_number(const Client& client, const ClientRequests& requests) const;

  const SuggestOptions& options_;
  Trials& trials_;
  std::vector<Client> clients_;
  Plan fixed_;
};

// "system:serviceaccount:ci:* other than system:serviceaccount:ci:amok"
std::string ClientGoals::Client::in_words() const {
  std::string out = user;
  for (const std::string& other : less) out += (&other == &less.front() ? " other than " : ", ") + other;
  return out;
}

std::string in_words(const FlowSchema& schema) {
  return "FlowSchema " + schema.meta.name + " (matchingPrecedence " + std::to_string(schema.matching_precedence) + ")";
}

// What gives a FlowSchema a number between these two: an object of the user's own may get another one.
std::string cure_for(const FlowSchema& before, const FlowSchema& other) {
  const bool can_move_before = before.meta.source.tree && before.matching_precedence > kLeastNumber;
  if (!other.meta.source.tree && can_move_before) return "give FlowSchema " + before.meta.name + " a smaller number";
  return (other.meta.source.tree ? "give FlowSchema " : "give a FlowSchema of your own of the name ") +
         other.meta.name + " a larger number";
}

int nominal_seats(const ReplayOptions& options, const std::string& level) {
  const LimitsTable table = compute_limits(options.config, options.server_concurrency_limit, options.version);
  const auto known = std::find_if(table.levels.begin(), table.levels.end(),
                                  [&](const LevelLimits& limits) { return limits.name == level; });
  return known == table.levels.end() ? 0 : known->nominal_cl;
}

ClientRequests ClientGoals::requests_now(const Client& client) const {
  ReplayOptions options = trials_.base();
  apply_plan(fixed_, options);
  return requests_of(trials_.arrivals(), options, client.user, client.less);
}

// Its new FlowSchema comes before those of clients that stand for it, and so before all that these come before.
ClientRequests ClientGoals::requests_to_serve(const Client& client) const {
  ClientRequests out = requests_now(client);
  for (const Client& other : clients_) {
    if (!out.first_other || std::find(other.less.begin(), other.less.end(), client.user) == other.less.end()) continue;
    const std::optional<FlowSchema> first = requests_now(other).first_other;
    if (first && first->matching_precedence < out.first_other->matching_precedence) out.first_other = first;
  }
  return out;
}

// For all requests of the client, or for those that go to none of its own levels. Nothing: it has no such requests.
std::optional<SuggestChange> ClientGoals::new_level(const Client& client, const ClientRequests& requests) {
  if (!requests.need_a_level() && (!requests.own_levels.empty() || requests.any_left_out)) return std::nullopt;
  check_for_level(client, requests);
  ReplayOptions so_far = trials_.base();
  apply_plan(fixed_, so_far);
  const auto followers = std::count_if(clients_.begin(), clients_.end(), [&](const Client& other) {
    return std::find(other.less.begin(), other.less.end(), client.user) != other.less.end();
  });
  const std::optional<SuggestChange> change =
      level_for(so_far, client.user, client.is_protected, requests, static_cast<std::size_t>(followers));
  if (!change) throw Error(why_no_number(client, requests));
  fixed_ = with_change(fixed_, *change);
  return change;
}

void ClientGoals::check_for_level(const Client& client, const ClientRequests& requests) const {
  if (!subject_of(client.user)) throw Error("no FlowSchema can be for " + client.user + ": it names " + kWhoHasLevels);
  if (requests.need_a_level()) return;
  if (!requests.names_users)
    throw Error("this log names no users, and no level is for " + client.user +
                " alone: which requests a new one would have, only an audit log says");
  if (requests.last_kept)
    throw Error("all requests of " + client.in_words() + " go to FlowSchemas that keep theirs, such as " +
                in_words(*requests.last_kept) + ": none would go to a new level");
  throw Error("the log has no request of " + client.in_words() + ": none would go to a level of its own");
}

std::string ClientGoals::why_no_number(const Client& client, const ClientRequests& requests) const {
  const FlowSchema &other = *requests.first_other, *const before = requests.last_before();
  const std::string go = "requests of " + client.in_words() + " go to " + in_words(other);
  const bool is_new = before && std::any_of(fixed_.begin(), fixed_.end(), [&](const SuggestChange& change) {
                        return change.precedence > 0 && change.level == before->meta.name;
                      });
  const bool is_kept = before && requests.last_kept && before->meta.name == requests.last_kept->meta.name;
  if (is_kept && before->matching_precedence >= other.matching_precedence)
    return go + ", and a FlowSchema before it would take those of " + in_words(*before) +
           ", which keeps them: " + cure_for(*before, other);
  if (before)
    return go + ", and no number is free for a FlowSchema that comes before it and behind " +
           (is_new ? "the new " : "") + in_words(*before) + ", which " +
           (is_kept ? "keeps those that it has: " : "has to come first: ") + cure_for(*before, other);
  return "no number is free for a FlowSchema for " + client.in_words() + " that comes before " + in_words(other) +
         ", where its requests go: " + cure_for(other, other);
}

void ClientGoals::protect(const Client& client) {
  const ClientRequests requests = requests_to_serve(client);
  const auto is_its = [client, requests, &config = trials_.base().config](const FlowReport& flow) {
    return is_client(client.user, flow.user) && !is_one_of(client.less, flow.user) &&
           !requests.goes_to_own(flow.priority_level) && !keeps_its_requests(config, flow.flow_schema);
  };
  const std::string bound = format_go_duration(options_.wait_bound) + " (p99)";
  for (const std::string& level : requests.own_levels) {
    trials_.clients().protecting_levels.insert(level);
    add_protection(client.in_words() + " is not refused and waits at most " + bound + " in its level " + level, level,
                   is_its);
  }
  const std::optional<SuggestChange> change = new_level(client, requests);
  if (!change) return;
  add_protection(requests.own_levels.empty()
                     ? client.in_words() + " is not refused and waits at most " + bound
                     : "other requests of " + client.in_words() + " are not refused and wait at most " + bound,
                 change->level, is_its);
}

// `is_its`: where its requests are as long as there is no such level.
void ClientGoals::add_protection(const std::string& text, const std::string& level,
                                 std::function<bool(const FlowReport&)> is_its) {
  const Nanos bound = options_.wait_bound;
  SuggestGoal& goal = trials_.goals().emplace_back();
  goal.text = text;
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
  goal.found_in_all = [level, is_its](const std::vector<ReplayReport>& reports) -> std::string {
    if (const std::optional<Figures> figures = figures_of(reports, level)) return in_words(*figures);
    const std::optional<Figures> elsewhere = figures_of_flows(reports, is_its);
    return elsewhere ? "without a level of its own, " + in_words(*elsewhere, true) : "there is no level of its own";
  };
  goal.found = [in_all = goal.found_in_all](const ReplayReport& report) { return in_all({report}); };
}

// Heartbeats and leader election keep all the seats that they can get.
void ClientGoals::isolate(const Client& client) {
  const ClientRequests requests = requests_to_serve(client);
  for (const std::string& level : requests.own_levels)
    if (!serves_system(trials_.base().config, level)) keep_within_its_seats(level);
  new_level(client, requests);
}

// A level that there is already is to be like a new one: it borrows from nobody, and lends half of its seats if it lent
// none; of a single one there is no half.
void ClientGoals::keep_within_its_seats(const std::string& level) {
  trials_.clients().isolating_levels.insert(level);
  if (!has(trials_.base().version, Feature::borrowing)) return;
  const LimitedLevel& limited = *find_level(trials_.base().config, level)->limited;
  const int borrowing = limited.borrowing_limit_percent.value_or(-1), lendable = limited.lendable_percent.value_or(0);
  if (borrowing != 0) fixed_ = with_change(fixed_, {SuggestField::borrowing, level, borrowing, 0, {}, 0, false});
  if (lendable == 0 && nominal_seats(trials_.base(), level) > 1)
    fixed_ = with_change(fixed_, {SuggestField::lendable, level, 0, kIsolatedLendPercent, {}, 0, false});
}

// That others fare no worse is asked of each replay: see Trials. The goal says it, with what it comes to.
void ClientGoals::add_isolation_goal() {
  trials_.clients().spares_others = true;
  trials_.clients().helps_others = options_.isolate_culprits;
  SuggestGoal& goal = trials_.goals().emplace_back();
  goal.text = "others fare no worse: fewer of their requests are refused, or as many and fewer wait";
  goal.subject = "total";
  goal.miss = [](const ReplayReport&) { return 0.0; };
  goal.found_in_all = [plan = fixed_, clients = trials_.clients()](const std::vector<ReplayReport>& reports) {
    std::int64_t low[2] = {INT64_MAX, INT64_MAX}, high[2] = {};
    for (const ReplayReport& report : reports) {
      const Harm harm = harm_of(report, isolated_by(plan, clients));
      const std::int64_t numbers[2] = {harm.of[Harm::refused_protected] + harm.of[Harm::refused],
                                       harm.of[Harm::long_waits]};
      for (int i = 0; i < 2; ++i) {
        low[i] = std::min(low[i], numbers[i]);
        high[i] = std::max(high[i], numbers[i]);
      }
    }
    const auto range = [&](int i) {
      return between(with_thousands(static_cast<std::uint64_t>(low[i])),
                     with_thousands(static_cast<std::uint64_t>(high[i])));
    };
    return range(0) + " of their requests are refused, " + range(1) + " wait more than 1s";
  };
  goal.found = [in_all = goal.found_in_all](const ReplayReport& report) { return in_all({report}); };
}

// Each once. First those who are one client, as the FlowSchemas of many come behind theirs; in the order of their
// names, not of the options.
std::vector<ClientGoals::Client> ClientGoals::clients(const std::vector<std::string>& isolated) const {
  std::vector<Client> out;
  const auto add = [&](const std::string& user, bool is_protected) {
    if (std::none_of(out.begin(), out.end(), [&](const Client& client) { return client.user == user; }))
      out.push_back({user, is_protected});
  };
  for (const std::string& user : options_.protect) add(user, true);
  for (const std::string& user : isolated) add(user, false);
  for (Client& client : out)
    for (const Client& other : out)
      if (other.user != client.user && is_client(client.user, other.user)) client.less.push_back(other.user);
  sort_stably(out, [](const Client& a, const Client& b) {
    return std::pair(a.user.ends_with('*'), a.user) < std::pair(b.user.ends_with('*'), b.user);
  });
  return out;
}

// Without other goals, to hurt others no more is what is wanted of who is isolated.
void ClientGoals::add(const std::vector<std::string>& culprits) {
  std::vector<std::string> isolated = options_.isolate;
  isolated.insert(isolated.end(), culprits.begin(), culprits.end());
  NamedClients& named = trials_.clients();
  named.protected_ = options_.protect;
  named.isolated = isolated;
  clients_ = clients(isolated);
  for (const Client& client : clients_) client.is_protected ? protect(client) : isolate(client);
  if (!isolated.empty() && options_.goals.empty() && options_.protect.empty()) add_isolation_goal();
}

// Whether there is a level for it alone, or could be one.
bool can_be_isolated(const Trials& trials, const std::string& user) {
  const ReplayOptions& options = trials.base();
  const ClientRequests requests = requests_of(trials.arrivals(), options, user);
  if (!requests.need_a_level()) return !requests.own_levels.empty();
  return level_for(options, user, false, requests).has_value();
}

// Whether all its requests go to exempt levels.
bool is_exempt(const Trials& trials, const std::string& user) {
  const ClientRequests requests = requests_of(trials.arrivals(), trials.base(), user);
  if (requests.need_a_level() || !requests.last_kept) return false;
  const std::string& level = requests.last_kept->priority_level;
  const std::vector<PriorityLevel>& levels = trials.base().config.priority_levels;
  return std::any_of(levels.begin(), levels.end(),
                     [&](const PriorityLevel& one) { return one.meta.name == level && !one.limited; });
}

std::string why_not_isolated(const WhyReport& why) {
  if (!why.culprits.empty() && is_component(why.culprits.front().name))
    return why.culprits.front().name + " is at fault, and components of the control plane are not isolated";
  if (why.verdict == WhyVerdict::fleet || why.verdict == WhyVerdict::herd)
    return "many clients together are at fault" +
           (why.culprits.empty() ? std::string() : " (" + why.culprits.front().name + ")") +
           ", and a level can be for " + kWhoHasLevels;
  const std::string no_client = "no client is at fault";
  if (why.verdict == WhyVerdict::server) return no_client + ": executions took longer at times";
  if (why.verdict == WhyVerdict::overload) return no_client + ": the server has too few seats";
  if (!why.open.empty()) return no_client + ", as far as a replay can tell: " + why.open;
  return why.verdict == WhyVerdict::configuration ? no_client + ", but the configuration" : no_client;
}

std::string not_isolated(const WhyReport& why, const std::string& reason) {
  std::string out = "--isolate auto: " + reason;
  if (!why.cures.empty()) {
    const WhyCure& cure = why.cures.front();
    out += fmt::format("; {} of {} from {} to {} leaves {} refused of {}", cure.field, cure.object, cure.from, cure.to,
                       with_thousands(cure.refused_with.value), with_thousands(why.refused));
  }
  if (why.verdict == WhyVerdict::fleet || why.verdict == WhyVerdict::herd)
    return out + "; let them send less or at other times, or give a goal (--goal) for the configuration of all";
  return out + "; give a goal (--goal), or name the client (--isolate sa:NAMESPACE/NAME)";
}

// Whether a change of levels or of seats may cure it. Not where a FlowSchema leads to the wrong level, which is no
// field of the search.
bool is_of_levels(const WhyReport& why) {
  if (why.verdict == WhyVerdict::configuration)
    return why.cures.empty() || why.cures.front().field != "spec.priorityLevelConfiguration.name";
  return why.verdict == WhyVerdict::herd || why.verdict == WhyVerdict::fleet || why.verdict == WhyVerdict::overload;
}

// Where nobody is to be isolated, levels that refuse requests are to refuse none.
void add_goals_of_levels(Trials& trials) {
  for (const LevelReport& level : trials.before().front().levels) {
    if (level.exempt || level.tally.rejected() == 0) continue;
    SuggestGoal& goal = trials.goals().emplace_back();
    goal.text = level.name + ".rejected == 0";
    goal.subject = level.name;
    goal.all_served = true;
    goal.miss = [name = level.name](const ReplayReport& report) {
      const std::optional<Figures> figures = figures_of({report}, name);
      return figures ? static_cast<double>(figures->rejected) : 0;
    };
    goal.found_in_all = [name = level.name](const std::vector<ReplayReport>& reports) {
      const Figures figures = figures_of(reports, name).value_or(Figures());
      return "it is " + between(with_thousands(figures.rejected_low), with_thousands(figures.rejected_high));
    };
    goal.found = [in_all = goal.found_in_all](const ReplayReport& report) { return in_all({report}); };
  }
}

}  // namespace

std::vector<std::vector<std::string>> culprits_to_isolate(const SuggestOptions& options, Trials& trials) {
  using Users = std::vector<std::string>;
  if (!options.isolate_culprits) return {{}};
  const bool refuses = trials.before().front().total.rejected() > 0;
  Users culprits, possible;
  // What the configuration does is not cured by a level for those who suffer first.
  if (refuses && trials.why(true).verdict != WhyVerdict::configuration)
    for (const std::string& user : culprits_of(trials, true))
      if (!is_one_of(options.isolate, user) && !is_one_of(options.protect, user) && !is_component(user) &&
          subject_of(user))
        culprits.push_back(user);
  if (refuses && options.isolate.empty() && culprits.empty()) {
    if (!is_of_levels(trials.why(true)))
      throw Error(not_isolated(trials.why(true), why_not_isolated(trials.why(true))));
    add_goals_of_levels(trials);
  }
  std::copy_if(culprits.begin(), culprits.end(), std::back_inserter(possible),
               [&](const std::string& user) { return can_be_isolated(trials, user); });
  if (possible.empty() && options.isolate.empty() && !culprits.empty() && is_exempt(trials, culprits.front()))
    throw Error(not_isolated(trials.why(true), culprits.front() + " is at fault, and exempt: no level holds it back"));
  std::vector<Users> out = {possible.empty() ? culprits : possible};  // where there is none, it is to be said why
  for (const std::string& user : Users(out.front()))
    if (out.front().size() > 1) out.push_back({user});
  return out;
}

Plan add_client_goals(const SuggestOptions& options, const std::vector<std::string>& culprits, Trials& trials) {
  ClientGoals goals(options, trials);
  goals.add(culprits);
  return std::move(goals).fixed();
}

}  // namespace apf
