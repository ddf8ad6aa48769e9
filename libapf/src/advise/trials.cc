#include "advise/trials.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "advise/clients.h"
#include "advise/variants.h"
#include "base/sort_stably.h"

namespace apf {

namespace {

constexpr double kSameCost = 1e-9;

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
double miss_of(const SuggestGoal& goal, const ReplayReport& report) {
  double miss = goal.miss(report);
  for (const ReplayReport& other : report.others) miss = std::max(miss, goal.miss(other));
  return miss;
}

// Behind them the other replays that they are of.
std::vector<ReplayReport> with_others(std::vector<ReplayReport> reports) {
  std::vector<ReplayReport> others;
  for (const ReplayReport& report : reports) others.insert(others.end(), report.others.begin(), report.others.end());
  std::move(others.begin(), others.end(), std::back_inserter(reports));
  return reports;
}

}  // namespace

// One that may be suggested, and nearer to the goals; else a smaller change; else better for others; else better for
// who is isolated.
bool Trial::better_than(const Trial& other) const {
  if (met() != other.met()) return met();
  if (finding.empty() != other.finding.empty()) return finding.empty();
  if (way != other.way) return way < other.way;
  if (miss != other.miss) return miss < other.miss;
  if (std::abs(cost - other.cost) > kSameCost) return cost < other.cost;
  if (affected != other.affected) return affected < other.affected;
  return isolated_shares(plan) > isolated_shares(other.plan);
}

bool NamedClients::is_protected_by_name(const std::string& user) const {
  return std::find(protected_.begin(), protected_.end(), user) != protected_.end();
}

std::map<std::string, std::uint64_t> affected_by_level(const ReplayReport& report, const Plan& plan,
                                                       const NamedClients& clients) {
  std::map<std::string, std::uint64_t> affected;
  for (const FlowReport& flow : report.all_flows) {
    const auto isolates_it = [&](const SuggestChange& change) {
      return isolates(change) && (flow.priority_level == change.level || is_client(change.user, flow.user));
    };
    const bool is_isolated =
        !clients.is_protected_by_name(flow.user) &&
        (clients.isolating_levels.contains(flow.priority_level) || is_one_of(clients.isolated, flow.user) ||
         std::any_of(plan.begin(), plan.end(), isolates_it));
    // Those that were refused after they had waited are among the queued ones.
    if (!is_isolated)
      affected[flow.priority_level] +=
          flow.tally.queued + flow.tally.rejected() - flow.tally.outcomes.refused_after_wait();
  }
  return affected;
}

std::uint64_t affected_requests(const ReplayReport& report, const Plan& plan, const NamedClients& clients) {
  std::uint64_t affected = 0;
  for (const auto& [level, requests] : affected_by_level(report, plan, clients)) affected += requests;
  return affected;
}

Trials::Trials(const SuggestOptions& options)
    : options_(options),
      log_(options.replay, FlowBooks::of_users),
      base_(base_of(options.replay)),
      lint_(options.texts, base_),
      budget_(options.budget) {
  aim_.goals = options.goals;
  ReplayReport first = log_.replay(base_);
  log_.name_unused_entries(base_, first);
  base_.server_concurrency_limit = first.server_concurrency_limit;
  base_.seats_by_log = false;
  ReplayOptions own = base_;
  own.spread = options.replay.spread;
  variants_ = variants_of(own, first);
  before_.resize(variants_.size());
  before_.front() = std::move(first);
  run_tasks(variants_.size() - 1, base_.threads, [&](std::size_t i) {
    if (!interrupted()) before_[i + 1] = log_.replay(variants_[i + 1]);
  });
  if (!interrupted() && log_.is_one_of_several(base_, before_.front())) before_.front() = log_.median_replay(base_);
  before_ = with_others(std::move(before_));
  replays_ = variants_.size();
}

double Trials::miss_before(const SuggestGoal& goal) const {
  double miss = 0;
  for (const ReplayReport& report : before_) miss = std::max(miss, miss_of(goal, report));
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
  const std::uint64_t most = budget_ - kept_back_;
  return most > replays_ ? most - replays_ : 0;
}

// One plan, and its replays so far.
struct Trials::Task {
  Trial trial;
  std::optional<ReplayedLog::Classes> classes;
  std::vector<Trial> judged;          // by variant
  std::vector<ReplayReport> reports;  // those that meet the goals
};

// How far this report is from the goals.
Trial Trials::judge(const Plan& plan, const ReplayReport& report) const {
  Trial out;
  out.done = true;
  for (const SuggestGoal& goal : aim_.goals) {
    const double by = miss_of(goal, report);
    if (by > 0) out.way += std::log1p(by);
    if (by <= out.miss) continue;
    out.miss = by;
    out.goal = goal.text;
    out.found = goal.found ? goal.found(report) : std::string();
  }
  out.affected_in = affected_by_level(report, plan, aim_.clients);
  for (const auto& [level, requests] : out.affected_in) out.affected += requests;
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
    if (!task.trial.done || task.trial.miss > 0 || (first > 0 && !task.trial.finding.empty())) continue;
    if (all.size() + (last - first) > left()) {
      task.trial.done = false;
      out_of_budget_ = true;
      continue;
    }
    for (std::size_t variant = first; variant < last; ++variant) all.emplace_back(&task, variant);
    task.judged.resize(last);
    task.reports.resize(last);
  }
  run_tasks(all.size(), base_.threads, [&](std::size_t i) {
    const auto [task, variant] = all[i];
    if (interrupted()) return;
    ReplayOptions options = variants_[variant];
    apply_plan(task->trial.plan, options);
    if (!task->classes) task->classes = log_.classify(options);  // by the first variant, alone
    ReplayReport report = log_.replay(options, *task->classes);
    if (interrupted()) return;
    task->judged[variant] = judge(task->trial.plan, report);
    if (task->judged[variant].miss <= 0) task->reports[variant] = std::move(report);
  });
  replays_ += all.size();
  for (Task& task : tasks) {
    if (task.judged.size() != last) continue;
    for (std::size_t variant = first; variant < last; ++variant) {
      const Trial& one = task.judged[variant];
      task.trial.done = task.trial.done && one.done;
      if (variant == 0) {
        task.trial.affected = one.affected;
        task.trial.affected_in = one.affected_in;
      }
      task.trial.way = std::max(task.trial.way, one.way);
      if (one.miss <= task.trial.miss) continue;
      task.trial.miss = one.miss;
      task.trial.goal = one.goal;
      task.trial.found = one.found;
    }
  }
}

bool Trials::is_confirmed(Task& task) {
  ReplayOptions options = variants_.front();
  apply_plan(task.trial.plan, options);
  if (!log_.is_one_of_several(options, task.reports.front())) return true;
  ReplayReport median = log_.median_replay(options);
  confirmations_ += static_cast<std::uint64_t>(options.candidates) + 1;
  if (interrupted()) return false;
  const Trial judged = judge(task.trial.plan, median);
  task.reports.front() = std::move(median);
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
  run_tasks_of(tasks, 0, 1);  // most plans fail in the first replay
  run_tasks(tasks.size(), base_.threads, [&](std::size_t i) {
    Trial& trial = tasks[i].trial;
    if (trial.done && trial.finding.empty()) trial.finding = lint_.objection(trial.plan);
  });
  if (variants_.size() > 1) run_tasks_of(tasks, 1, variants_.size());
  for (Task& task : tasks) {
    if (!task.trial.met() || (aim_.best && !task.trial.better_than(*aim_.best)) || !is_confirmed(task)) continue;
    aim_.best = task.trial;
    aim_.best_reports = with_others(std::move(task.reports));
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
