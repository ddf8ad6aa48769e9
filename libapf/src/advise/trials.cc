#include "advise/trials.h"

#include <apf/logs.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "advise/clients.h"
#include "base/identities.h"
#include "base/parallel.h"
#include "base/sort_stably.h"
#include "base/thousands.h"
#include "replay/passes/ensemble.h"
#include "replay/prepare/request_shape.h"

namespace apf {

namespace {

constexpr double kSameCost = 1e-9;
constexpr std::size_t kFew = 3;  // variants that are tried before all of them

ReplayOptions base_of(const ReplayOptions& options) {
  ReplayOptions out = options;
  out.spread = 0;
  out.all_flows = true;
  out.progress = nullptr;
  out.texts.clear();  // read
  return out;
}

int isolated_shares(const Plan& plan) {
  int sum = 0;
  for (const SuggestChange& change : plan)
    if (isolates(change)) sum += change.to;
  return sum;
}

// With the other replays that the report is of: see ReplayReport::others.
double miss_of(const SuggestGoal& goal, const ReplayReport& report, bool with_margin) {
  const auto& miss = with_margin && goal.miss_with_margin ? goal.miss_with_margin : goal.miss;
  double out = miss(report);
  for (const ReplayReport& other : report.others) out = std::max(out, miss(other));
  return out;
}

// Behind them the other replays that they are of.
std::vector<ReplayReport> with_others(std::vector<ReplayReport> reports) {
  std::vector<ReplayReport> others;
  for (const ReplayReport& report : reports) others.insert(others.end(), report.others.begin(), report.others.end());
  std::move(others.begin(), others.end(), std::back_inserter(reports));
  return reports;
}

// A protected client that was served before, or is refused more than twice as often, by the replay of the same seed and
// phase. `most`: of those without changes; up to that many are refused by chance.
std::string whom_it_refuses(const ReplayReport& report, const std::map<std::string, std::uint64_t>& before,
                            const std::map<std::string, std::uint64_t>& most) {
  for (const auto& [client, refused] : protected_refusals(report)) {
    const auto known = before.find(client);
    if (known == before.end() || refused <= std::max(2 * known->second, most.at(client))) continue;
    const std::uint64_t then = known->second == 0 ? most.at(client) : known->second;
    const std::string now = then == 0 ? ", and none is now" : " instead of " + with_thousands(then);
    return fmt::format("{} {} of {} would be refused{}", with_thousands(refused), refused == 1 ? "request" : "requests",
                       short_name_of(client), now);
  }
  return {};
}

std::uint64_t requests_of(const ReplayReport& report, const std::string& level) {
  for (const LevelReport& each : report.levels)
    if (each.name == level) return each.tally.requests;
  return 0;
}

// That a short log's middle replay is chosen of.
std::uint64_t further_replays(const ReplayOptions& options) {
  return static_cast<std::uint64_t>(std::max(0, options.candidates));
}

// Who is to leave is asked for.
bool names_clients(const SuggestOptions& options) {
  return !options.isolate.empty() || !options.protect.empty() || options.isolate_culprits;
}

// A level whose requests all go elsewhere refuses none: that does not meet its goal, unless the user named who leaves.
bool is_emptied(const SuggestOptions& options, const std::string& level, const ReplayReport& before,
                const ReplayReport& after) {
  return !names_clients(options) && requests_of(before, level) > 0 && requests_of(after, level) == 0;
}

// A goal is about requests: refusals of those that the plan sends to new levels, though nobody asked for these, count
// where they went before, too. `places`: of the flows of the log, without changes.
ReplayReport with_moved(const Plan& plan, const std::vector<PreparedLog::FlowPlace>& places, ReplayReport report) {
  const auto add = [](auto& of, const std::set<std::string>& names, const std::string& to) {
    const auto is = [](const std::string& name) { return [&name](const auto& each) { return each.name == name; }; };
    const auto moved = std::find_if(of.begin(), of.end(), is(to));
    if (moved == of.end()) return;
    for (const std::string& name : names) {
      const auto from = std::find_if(of.begin(), of.end(), is(name));
      if (from == of.end() || from == moved) continue;
      from->tally.requests += moved->tally.requests;
      from->tally.outcomes += moved->tally.outcomes;
    }
  };
  for (const SuggestChange& change : plan) {
    if (change.field != SuggestField::level) continue;
    std::set<std::string> levels, schemas;
    for (const PreparedLog::FlowPlace& place : places)
      if (is_client(change.user, place.user)) {
        levels.insert(place.priority_level);
        schemas.insert(place.flow_schema);
      }
    add(report.levels, levels, change.level);
    add(report.schemas, schemas, change.level);
  }
  for (ReplayReport& other : report.others) other = with_moved(plan, places, std::move(other));
  return report;
}

// `is_emptied`: whether all requests of a subject go elsewhere.
template <class IsEmptied>
void hold_against(const std::vector<SuggestGoal>& goals, const ReplayReport& report, bool of_change,
                  const IsEmptied& is_emptied, Trial& out) {
  for (const SuggestGoal& goal : goals) {
    const bool is_empty = is_emptied(goal.subject);
    const double by = std::max(miss_of(goal, report, of_change), is_empty ? 1.0 : 0.0);
    if (by > 0) out.way += std::log1p(by);
    if (by <= out.miss) continue;
    out.miss = by;
    out.goal = goal.text;
    out.found = is_empty ? "all its requests go elsewhere" : goal.found ? goal.found(report) : std::string();
  }
}

// Whom an isolation harms, as a finding; empty: nobody. `first`: of the first variant, without changes.
std::string harm_in(const Trial& trial, const NamedClients& clients, const ReplayReport& first,
                    const std::vector<ReplayReport>& others, std::size_t variants) {
  if (!clients.spares_others) return {};
  std::vector<Harm> before;
  for (std::size_t variant = 0; variant < trial.harm.size(); ++variant)
    before.push_back(harm_of(variant == 0 ? first : others[variant], isolated_by(trial.plan, clients)));
  if (trial.harm.front().of[Harm::refused_protected] > before.front().of[Harm::refused_protected])
    return "protected clients would be refused more often";
  const auto refused = [](const Harm& harm) { return harm.of[Harm::refused_protected] + harm.of[Harm::refused]; };
  if (refused(trial.harm.front()) > refused(before.front()))
    return fmt::format("{} requests of others would be refused instead of {}",
                       with_thousands(static_cast<std::uint64_t>(refused(trial.harm.front()))),
                       with_thousands(static_cast<std::uint64_t>(refused(before.front()))));
  const bool is_all = trial.harm.size() == variants;
  return is_all && paired_harm(before, trial.harm) > 0 ? "others would fare worse" : "";
}

}  // namespace

Harm Trial::all_harm() const {
  Harm out;
  for (const Harm& one : harm) out += one;
  return out;
}

// One that may be suggested, and nearer to the goals; else a smaller change; else better for others; else better for
// who is isolated.
bool Trial::better_than(const Trial& other) const {
  if (met() != other.met()) return met();
  if (finding.empty() != other.finding.empty()) return finding.empty();
  if (way != other.way) return way < other.way;
  if (miss != other.miss) return miss < other.miss;
  if (std::abs(cost - other.cost) > kSameCost) return cost < other.cost;
  if (harm.size() == other.harm.size() && all_harm() != other.all_harm()) return all_harm() < other.all_harm();
  return isolated_shares(plan) > isolated_shares(other.plan);
}

bool NamedClients::is_protected_by_name(const std::string& user) const {
  return std::find(protected_.begin(), protected_.end(), user) != protected_.end();
}

IsIsolated isolated_by(const Plan& plan, const NamedClients& clients) {
  return [&plan, &clients](const FlowReport& flow) {
    const auto isolates_it = [&](const SuggestChange& change) {
      return isolates(change) && (flow.priority_level == change.level || is_client(change.user, flow.user));
    };
    return !clients.is_protected_by_name(flow.user) &&
           (clients.isolating_levels.contains(flow.priority_level) || is_one_of(clients.isolated, flow.user) ||
            std::any_of(plan.begin(), plan.end(), isolates_it));
  };
}

Trials::Trials(const SuggestOptions& options)
    : options_(options),
      log_(Recording::of_any_configuration(options.replay, FlowBooks::of_users)),
      base_(base_of(options.replay)),
      lint_(options.texts, base_),
      budget_(options.budget) {
  aim_.goals = options.goals;
  ReplayReport first = log_.replay(base_);
  log_.name_unused_entries(base_, first);
  base_.server_concurrency_limit = first.server_concurrency_limit;
  base_.seats_by_log = false;
  places_ = log_.arrivals().places_of_flows(base_);
  ReplayOptions own = base_;
  own.spread = options.replay.spread;
  variants_ = variants_of(own, first, true);  // nothing says how the clock of a changed server ticks
  before_.resize(variants_.size());
  before_.front() = std::move(first);
  run_tasks(variants_.size() - 1, base_.threads, [&](std::size_t i) {
    if (!interrupted()) before_[i + 1] = log_.replay(variants_[i + 1]);
  });
  for (const ReplayReport& report : before_) refused_before_.push_back(protected_refusals(report));
  for (const auto& refused : refused_before_)
    for (const auto& [client, requests] : refused)
      most_refused_before_[client] = std::max(most_refused_before_[client], requests);
  first_alone_ = before_.front();
  if (!interrupted() && log_.is_one_of_several(base_, before_.front())) before_.front() = log_.median_replay(base_);
  before_ = with_others(std::move(before_));
  replays_ = variants_.size();
  // What is met as it is needs no margin.
  for (SuggestGoal& goal : aim_.goals)
    if (miss_before(goal) <= 0) goal.miss_with_margin = nullptr, goal.margin.clear();
}

const WhyReport& Trials::why(bool asked_for) {
  static const WhyReport kUnknown;
  if (why_) return *why_;
  if (!asked_for && left() < kReplaysOfWhy) return kUnknown;
  why_ = explain_by_replay({.replay = options_.replay}).value_or(WhyReport());
  return *why_;
}

double Trials::miss_before(const SuggestGoal& goal) const {
  double miss = 0;
  for (const ReplayReport& report : before_) miss = std::max(miss, miss_of(goal, report, false));
  return miss;
}

bool Trials::stopped() {
  if (left() == 0 || (options_.stop && options_.stop())) out_of_budget_ = true;
  return out_of_budget_ || interrupted();
}

void Trials::give_back() {
  kept_back_ = 0;
  was_out_of_budget_ = was_out_of_budget_ || out_of_budget_;
  if (left() > 0 && !(options_.stop && options_.stop())) out_of_budget_ = false;
}

std::uint64_t Trials::left() const {
  // The answer is replayed once more, when it is told.
  constexpr std::uint64_t kPartForAnswer = 10;
  const std::uint64_t answer = std::min(budget_ / kPartForAnswer, variants_.size() + further_replays(base_));
  const std::uint64_t used = replays_ + confirmations_ + kept_back_ + answer;
  return budget_ > used ? budget_ - used : 0;
}

// One plan, and its replays so far.
struct Trials::Task {
  Trial trial;
  std::optional<Recording::Classes> classes;
  std::vector<Trial> judged;  // by variant
  ReplayReport first;         // of the first variant, where it meets the goals
};

// How far this report is from the goals.
Trial Trials::judge(const Plan& plan, const ReplayReport& report, std::size_t variant) const {
  Trial out;
  out.done = true;
  const bool is_change = !plan.empty();
  hold_against(
      aim_.goals, report, is_change,
      [&](const std::string& subject) { return is_change && is_emptied(options_, subject, before_.front(), report); },
      out);
  const bool sends_away = std::any_of(plan.begin(), plan.end(),
                                      [](const SuggestChange& change) { return change.field == SuggestField::level; });
  if (out.miss <= 0 && sends_away && !names_clients(options_))
    hold_against(
        aim_.goals, with_moved(plan, places_, report), true, [](const std::string&) { return false; }, out);
  out.harm = {harm_of(report, isolated_by(plan, aim_.clients))};
  if (!options_.allow_harm) out.finding = whom_it_refuses(report, refused_before_[variant], most_refused_before_);
  return out;
}

// The replays [first, last) of those tasks that have not failed: what must not be suggested needs one replay only.
void Trials::run_tasks_of(std::vector<Task>& tasks, std::size_t first, std::size_t last) {
  std::vector<std::pair<Task*, std::size_t>> all;
  std::vector<Task*> smallest_first;
  for (Task& task : tasks) smallest_first.push_back(&task);
  sort_stably(smallest_first, [](const Task* a, const Task* b) { return a->trial.cost < b->trial.cost; });
  for (Task* const each : smallest_first) {
    Task& task = *each;
    if (!task.trial.done || task.trial.miss > 0) continue;
    // What meets the goals with harm is looked at for want of anything better.
    if (first > 0 && !task.trial.finding.empty() && (!task.trial.is_harmful || aim_.best)) continue;
    if (all.size() + (last - first) > left()) {
      task.trial.done = false;
      out_of_budget_ = true;
      continue;
    }
    for (std::size_t variant = first; variant < last; ++variant) all.emplace_back(&task, variant);
    task.judged.resize(last);
  }
  run_tasks(all.size(), base_.threads, [&](std::size_t i) {
    const auto [task, variant] = all[i];
    if (interrupted()) return;
    ReplayOptions options = variants_[variant];
    apply_plan(task->trial.plan, options);
    if (!task->classes) task->classes = log_.classify(options);  // by the first variant, alone
    ReplayReport report = log_.replay(options, *task->classes);
    if (interrupted()) return;
    task->judged[variant] = judge(task->trial.plan, report, variant);
    if (variant == 0 && task->judged[variant].miss <= 0) task->first = std::move(report);
  });
  replays_ += all.size();
  for (Task& task : tasks) {
    if (task.judged.size() != last) continue;
    for (std::size_t variant = first; variant < last; ++variant) {
      const Trial& one = task.judged[variant];
      task.trial.done = task.trial.done && one.done;
      task.trial.harm.insert(task.trial.harm.end(), one.harm.begin(), one.harm.end());
      if (task.trial.finding.empty() && !one.finding.empty()) {
        task.trial.finding = one.finding;
        task.trial.is_harmful = true;
      }
      task.trial.way = std::max(task.trial.way, one.way);
      if (one.miss <= task.trial.miss) continue;
      task.trial.miss = one.miss;
      task.trial.goal = one.goal;
      task.trial.found = one.found;
    }
  }
}

const std::vector<ReplayReport>& Trials::reports_of(const Plan& plan) {
  if (!reported_.empty() && plan == reported_plan_) return reported_;
  std::vector<ReplayReport> out(variants_.size());
  ReplayOptions options = variants_.front();
  apply_plan(plan, options);
  const Recording::Classes classes = log_.classify(options);
  run_tasks(out.size(), base_.threads, [&](std::size_t i) {
    ReplayOptions own = variants_[i];
    apply_plan(plan, own);
    out[i] = log_.replay(own, classes);
  });
  confirmations_ += out.size();
  if (log_.is_one_of_several(options, out.front())) out.front() = log_.median_replay(options);
  reported_ = with_others(std::move(out));
  reported_plan_ = plan;
  return reported_;
}

bool Trials::is_confirmed(Task& task) {
  ReplayOptions options = variants_.front();
  apply_plan(task.trial.plan, options);
  if (!log_.is_one_of_several(options, task.first)) return true;
  ReplayReport median = log_.median_replay(options);
  confirmations_ += further_replays(options) + 1;
  if (interrupted()) return false;
  Trial judged = judge(task.trial.plan, median, 0);
  judged.plan = task.trial.plan;
  if (judged.finding.empty())
    judged.finding = harm_in(judged, aim_.clients, before_.front(), before_, variants_.size());
  else task.trial.is_harmful = true;
  task.trial.finding = judged.finding;
  if (!judged.finding.empty()) return false;
  if (judged.miss <= 0) return true;
  task.trial.miss = judged.miss;
  task.trial.way = std::max(task.trial.way, judged.way);
  task.trial.goal = judged.goal;
  task.trial.found = judged.found;
  return false;
}

std::vector<Trial> Trials::run(const std::vector<Plan>& plans) {
  std::map<std::string, std::size_t> fresh;
  std::vector<Task> tasks;
  for (const Plan& plan : plans) {
    std::string key = key_of(plan);
    if (aim_.memo.contains(key) || fresh.contains(key)) continue;
    // What fits into the budget: one replay of each at least.
    if (stopped() || tasks.size() >= left()) {
      out_of_budget_ = out_of_budget_ || !interrupted();
      break;
    }
    fresh.emplace(std::move(key), tasks.size());
    Task& task = tasks.emplace_back();
    task.trial.plan = plan;
    task.trial.cost = cost_of(plan);
    task.trial.done = true;
    task.trial.finding = rejection_by_server(plan, base_);
    if (!task.trial.finding.empty()) task.trial.miss = task.trial.way = HUGE_VAL;  // there is nothing to replay
  }
  const auto add_harm = [&] {
    for (Task& task : tasks)
      if (task.trial.done && task.trial.miss <= 0 && task.trial.finding.empty())
        task.trial.finding = harm_in(task.trial, aim_.clients, first_alone_, before_, variants_.size());
  };
  run_tasks_of(tasks, 0, 1);  // most plans fail in the first replay
  run_tasks(tasks.size(), base_.threads, [&](std::size_t i) {
    Trial& trial = tasks[i].trial;
    if (!trial.done || (!trial.finding.empty() && !trial.is_harmful)) return;
    if (std::string objection = lint_.objection(trial.plan); !objection.empty()) {
      trial.finding = std::move(objection);
      trial.is_harmful = false;
    }
  });
  add_harm();
  for (std::size_t done = 1; done < variants_.size();) {  // and many of the others in the next few
    const std::size_t next = done < kFew ? std::min(kFew, variants_.size()) : variants_.size();
    run_tasks_of(tasks, done, next);
    add_harm();
    done = next;
  }
  for (Task& task : tasks) {
    if (!task.trial.met() || (aim_.best && !task.trial.better_than(*aim_.best)) || !is_confirmed(task)) continue;
    aim_.best = task.trial;
  }
  for (const auto& [key, number] : fresh) {
    Task& task = tasks[number];
    if (!task.trial.done) continue;
    configurations_ += task.judged.empty() ? 0 : 1;  // what the server would reject is not replayed
    aim_.memo.emplace(key, std::move(task.trial));
  }
  if (options_.progress) options_.progress(replays_, aim_.best ? &aim_.best->plan : nullptr);
  std::vector<Trial> out;
  for (const Plan& plan : plans) {
    const auto known = aim_.memo.find(key_of(plan));
    if (known != aim_.memo.end()) {
      out.push_back(known->second);
      continue;
    }
    Trial& missing = out.emplace_back();
    missing.plan = plan;
    missing.cost = cost_of(plan);
    missing.miss = missing.way = HUGE_VAL;
  }
  return out;
}

}  // namespace apf
