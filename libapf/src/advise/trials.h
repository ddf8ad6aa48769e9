// Plans replayed: how far each is from the goals. Each once, several at a time, within the budget.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "advise/patch.h"
#include "advise/plan.h"
#include "replay/passes/harm.h"
#include "replay/passes/recording.h"

namespace apf {

// What a plan comes to in all replays.
struct Trial {
  Plan plan;
  double miss = 0, cost = 0;  // miss: of the farthest goal
  double way = 0;             // to all goals together: less where one of several is nearer
  std::string goal, found;    // that goal, and what is there
  // Why it must not be suggested, though it meets the goals: what lint says, or whom it harms.
  std::string finding;
  bool is_harmful = false;  // by `finding`: a protected client is refused that was served before
  std::vector<Harm> harm;   // by variant, as far as they were replayed
  bool done = false;        // not replayed: interrupted, or out of budget
  bool met() const { return done && miss <= 0 && finding.empty(); }
  bool meets_with_harm() const { return done && miss <= 0 && is_harmful; }
  Harm all_harm() const;
  bool better_than(const Trial& other) const;
};

// Clients that are isolated or protected by every plan.
struct NamedClients {
  std::vector<std::string> isolated, protected_;
  std::set<std::string> isolating_levels, protecting_levels;  // those that are there already
  // Isolation is all that is wanted: others must not fare worse; and must gain by it beyond chance.
  bool spares_others = false, helps_others = false;
  // Then it is, though a client that is isolated stands for it.
  bool is_protected_by_name(const std::string& user) const;
};

class Trials {
 public:
  // Reads the log, and replays it without changes.
  explicit Trials(const SuggestOptions& options);

  // In the order of the plans. Once the budget is used up, the rest is not done.
  std::vector<Trial> run(const std::vector<Plan>& plans);
  Trial run(const Plan& plan) { return run(std::vector<Plan>{plan}).front(); }
  // All replays of a plan, whatever it comes to, as before() has those without changes.
  // Those of the plan asked for last are kept.
  const std::vector<ReplayReport>& reports_of(const Plan& plan);

  // What plans are held against, and what is known of them.
  struct Aim {
    std::vector<SuggestGoal> goals;
    NamedClients clients;
    std::map<std::string, Trial> memo;
    std::optional<Trial> best;
  };
  // From now on they are held against `next`: what it was until now.
  Aim aim_at(Aim next) { return std::exchange(aim_, std::move(next)); }

  // Without changes, under other options of the same log.
  ReplayReport replay(const ReplayOptions& options) const { return log_.replay(options); }
  const PreparedLog& arrivals() const { return log_.arrivals(); }
  // Why requests were refused: the first time it replays the log some dozens of times. Verdict none: it is not known.
  // `asked_for`: else only where the budget is large beside that.
  const WhyReport& why(bool asked_for);
  // What is changed: with the seats that the log may name.
  const ReplayOptions& base() const { return base_; }
  const std::vector<ReplayReport>& before() const { return before_; }
  std::vector<SuggestGoal>& goals() { return aim_.goals; }
  NamedClients& clients() { return aim_.clients; }
  double miss_before(const SuggestGoal& goal) const;
  struct Counts {
    std::uint64_t replays, configurations, variants;  // replays: those of why() are not in the budget
  };
  Counts counts() const {
    return {replays_ + confirmations_ + (why_ ? why_->replays : 0), configurations_, variants_.size()};
  }
  // The budget is used up, or somebody asked to stop.
  bool stopped();
  bool interrupted() const { return options_.replay.interrupted && *options_.replay.interrupted; }
  // Something was left out for it, at some time.
  bool out_of_budget() const { return out_of_budget_ || was_out_of_budget_; }
  // So many replays of the budget are kept for later.
  void keep_back(std::uint64_t replays) { kept_back_ = std::min(replays, budget_); }
  // They may be used from now on, so the budget may have an end no more.
  void give_back();

  // What lint says to plans: it needs no replay.
  LintBaseline& lint() { return lint_; }

 private:
  struct Task;
  std::uint64_t left() const;
  void run_tasks_of(std::vector<Task>& tasks, std::size_t first, std::size_t last);
  Trial judge(const Plan& plan, const ReplayReport& report, std::size_t variant) const;
  // Whether the goals are met by what replay() would report, too.
  bool is_confirmed(Task& task);

  const SuggestOptions& options_;
  const Recording log_;
  ReplayOptions base_;
  std::vector<PreparedLog::FlowPlace> places_;  // of the flows of the log, without changes
  std::vector<ReplayOptions> variants_;
  std::vector<ReplayReport> before_;  // by variant, then the other replays that they are of
  ReplayReport first_alone_;          // the first, where before() has the one in the middle of several
  std::vector<std::map<std::string, std::uint64_t>> refused_before_;  // of protected clients, by variant
  std::map<std::string, std::uint64_t> most_refused_before_;          // in any of them
  LintBaseline lint_;
  static constexpr std::uint64_t kReplaysOfWhy = 100;  // about that many at most
  std::optional<WhyReport> why_;
  Aim aim_;
  Plan reported_plan_;
  std::vector<ReplayReport> reported_;  // of that plan; empty: of none
  std::uint64_t replays_ = 0, confirmations_ = 0, configurations_ = 0, budget_, kept_back_ = 0;
  bool out_of_budget_ = false, was_out_of_budget_ = false;
};

// Whose requests are not those of others: of clients that are isolated, by the plan or whatever the plan.
IsIsolated isolated_by(const Plan& plan, const NamedClients& clients);

}  // namespace apf
