// apf::find_headroom(): one prepared log, replayed at many multiples of its load.
#include <apf/advise.h>

#include <apf/error.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "advise/clients.h"
#include "advise/plan.h"
#include "advise/replayed_log.h"
#include "advise/variants.h"
#include "replay/books/worst_case.h"
#include "replay/engine/unused_entries.h"
#include "replay/passes/contradiction.h"

namespace apf {

namespace {

// Steps of an octave: multiples are tried to within 2.2 %.
constexpr int kOctave = 32;

// What one replay shows of a level.
struct LevelFigures {
  std::uint64_t requests = 0, rejected = 0;
  Nanos p99 = 0;
};

struct Flow {
  std::string schema, distinguisher;
};

// The replays at one multiple.
struct Tried {
  std::vector<std::vector<LevelFigures>> levels;  // by variant; empty: that one was not replayed
  bool as_replayed = false;  // the first variant is what replay() reports, which takes more of them
  std::vector<Flow> worst;   // of the first variant, by level
};

enum class Event : std::uint8_t { waits, refuses };

// With the clients among the scales, the log says who is not in it.
ReplayOptions with_clients(const HeadroomOptions& options) {
  ReplayOptions out = options.replay;
  for (const std::string& user : options.clients)
    if (std::none_of(out.scales.begin(), out.scales.end(), [&](const LoadScale& scale) { return scale.user == user; }))
      out.scales.push_back({user, 1, false});
  return out;
}

void check_clients(const std::vector<Remark>& unused, const std::vector<std::string>& clients) {
  for (const Remark& remark : unused)
    if (remark.kind == RemarkKind::scale_unused &&
        std::find(clients.begin(), clients.end(), remark.name) != clients.end())
      throw Error("no request of the log is of " + remark.name + ": there is no load to multiply");
}

class HeadroomSearch {
 public:
  explicit HeadroomSearch(const HeadroomOptions& options)
      : options_(options), log_(with_clients(options)), classes_(log_.classify(options.replay)) {
    check_clients(log_.arrivals().unused_entries_of(with_clients(options)), options.clients);
  }

  HeadroomReport run();

 private:
  struct Target {
    std::size_t level;
    Event event;
  };
  // A variant at a multiple. The first one may be replayed as replay() would report it.
  struct Task {
    int step = 0;
    std::size_t variant = 0;
    bool as_replayed = false;
    auto operator<=>(const Task&) const = default;
  };
  using Tasks = std::set<Task>;
  // The last step tried without and the first with.
  struct Bracket {
    std::optional<int> without, with;
  };

  double multiple_at(int step) const;
  void start();
  void explore();
  void narrow();
  void try_all(const Tasks& tasks);
  Tried& at(int step) { return tried_[step]; }
  bool holds(const Target& target, int step, std::size_t variant) const;
  Bracket bracket(const Target& target, std::size_t variant) const;
  bool is_far_from(const Target& target) const;
  std::optional<Task> next_task(const Target& target, std::size_t variant) const;
  HeadroomFigure figure(std::size_t level, Event event) const;
  std::optional<int> first_step(std::size_t level, Event event) const;
  void fill_level(HeadroomLevel& level, std::size_t number);
  void try_limits();
  LevelFigures figures_of(const ReplayReport& report, const std::string& level) const;
  Flow worst_of(const ReplayReport& report, const std::string& level) const;
  bool interrupted() const { return options_.replay.interrupted && *options_.replay.interrupted; }
  ReplayReport replayed(ReplayReport report, double multiple, int replays = 1) {
    const std::lock_guard lock(mutex_);
    replays_ += static_cast<std::uint64_t>(replays);
    if (options_.progress) options_.progress(replays_, multiple, borne_);
    return report;
  }
  // What replay() would report.
  ReplayReport as_replayed(const ReplayOptions& options, const ReplayedLog::Classes& classes, double multiple) {
    ReplayReport report = replayed(log_.replay(options, classes), multiple);
    if (!log_.is_one_of_several(options, report)) return report;
    return replayed(log_.median_replay(options), multiple, options.candidates + 1);
  }

  const HeadroomOptions& options_;
  const ReplayedLog log_;
  const ReplayedLog::Classes classes_;
  std::vector<ReplayOptions> variants_;
  HeadroomReport report_;
  std::vector<Target> targets_;
  std::map<int, Tried> tried_;
  int least_ = 0, most_ = 0;
  double borne_ = 0;  // the largest multiple so far up to which nothing happens
  std::mutex mutex_;
  std::uint64_t replays_ = 0;
};

double HeadroomSearch::multiple_at(int step) const {
  if (step == 0) return 1;
  const double exact = std::exp2(static_cast<double>(step) / kOctave), digits = exact < 1 ? 1000 : 100;
  return std::clamp(std::round(exact * digits) / digits, options_.least, options_.most);
}

void check(const HeadroomOptions& options) {
  if (!(options.least > 0 && options.least <= 1 && options.most >= 1 && options.most <= 1000))
    throw Error("multiples of the load from " + std::to_string(options.least) + " to " + std::to_string(options.most) +
                " cannot be tried: the least is between 0 and 1, the most between 1 and 1,000");
  if (options.replay.in_flight) throw Error("headroom is that of priority levels: API Priority and Fairness is off");
}

LevelFigures HeadroomSearch::figures_of(const ReplayReport& report, const std::string& name) const {
  for (const LevelReport& level : report.levels)
    if (level.name == name) return {level.tally.requests, level.tally.rejected(), level.tally.wait.quantile(0.99)};
  return {};
}

// The flow most of whose requests were refused; without refusals, the one that waited longest.
Flow HeadroomSearch::worst_of(const ReplayReport& report, const std::string& level) const {
  const FlowReport* worst = nullptr;
  const auto key = [](const FlowReport& flow) {
    return std::tuple(flow.tally.rejected(), flow.tally.wait.quantile(0.99), flow.tally.requests);
  };
  for (const FlowReport& flow : report.all_flows) {
    if (flow.priority_level != level) continue;
    const bool suffers = flow.tally.rejected() > 0 || flow.tally.queued > 0;
    if (suffers && (!worst || key(flow) > key(*worst))) worst = &flow;
  }
  return worst ? Flow{worst->flow_schema, worst->distinguisher} : Flow{};
}

void HeadroomSearch::try_all(const Tasks& tasks) {
  for (const Task& task : tasks) {
    Tried& tried = tried_[task.step];
    tried.levels.resize(variants_.size());
    tried.worst.resize(report_.levels.size());
  }
  const std::vector<Task> all(tasks.begin(), tasks.end());
  run_tasks(all.size(), options_.replay.threads, [&](std::size_t number) {
    const Task& task = all[number];
    Tried& tried = tried_.at(task.step);
    if (interrupted()) return;
    ReplayOptions options = variants_[task.variant];
    multiply(options, options_.clients, multiple_at(task.step));
    options.all_flows = task.variant == 0;
    const ReplayReport report = task.as_replayed ? as_replayed(options, classes_, multiple_at(task.step))
                                                 : replayed(log_.replay(options, classes_), multiple_at(task.step));
    std::vector<LevelFigures> levels;
    for (std::size_t i = 0; i < report_.levels.size(); ++i) {
      levels.push_back(figures_of(report, report_.levels[i].name));
      if (task.variant == 0) tried.worst[i] = worst_of(report, report_.levels[i].name);
    }
    if (interrupted()) return;
    tried.levels[task.variant] = std::move(levels);
    if (task.variant == 0) tried.as_replayed = task.as_replayed || !log_.is_one_of_several(options, report);
  });
  if (interrupted()) {
    report_.interrupted = true;
    std::erase_if(tried_, [](const auto& tried) { return tried.second.levels.front().empty(); });
  }
  borne_ = 0;
  for (const auto& [step, tried] : tried_) {
    if (tried.levels.front().empty()) continue;
    const int at = step;
    if (std::any_of(targets_.begin(), targets_.end(), [&](const Target& target) { return holds(target, at, 0); }))
      break;
    borne_ = multiple_at(step);
  }
}

bool HeadroomSearch::holds(const Target& target, int step, std::size_t variant) const {
  const LevelFigures& level = tried_.at(step).levels[variant][target.level];
  return target.event == Event::waits ? level.p99 > options_.wait_bound : level.rejected > 0;
}

HeadroomSearch::Bracket HeadroomSearch::bracket(const Target& target, std::size_t variant) const {
  Bracket out;
  for (const auto& [step, tried] : tried_) {
    if (tried.levels[variant].empty()) continue;
    if (holds(target, step, variant)) {
      out.with = step;
      return out;
    }
    out.without = step;
  }
  return out;
}

// At the largest multiple next to nothing waits there: no other replay is asked.
bool HeadroomSearch::is_far_from(const Target& target) const {
  constexpr Nanos kPart = 10;
  const LevelFigures& most = tried_.rbegin()->second.levels.front().at(target.level);
  return most.rejected == 0 && most.p99 < options_.wait_bound / kPart;
}

// What is not known yet of where it happens in this variant. The first one is halved from what explore() has tried; the
// others are looked for around it, as they lie near.
std::optional<HeadroomSearch::Task> HeadroomSearch::next_task(const Target& target, std::size_t variant) const {
  const Bracket own = bracket(target, variant);
  if (own.with && own.without && *own.with - *own.without > 1)
    return Task{*own.without + (*own.with - *own.without) / 2, variant, false};
  if (variant == 0) {
    for (const std::optional<int>& end : {own.with, own.without})
      if (end && (own.with || *end == most_) && !tried_.at(*end).as_replayed) return Task{*end, 0, true};
    return std::nullopt;
  }
  const Bracket first = bracket(target, 0);
  if (!first.with && is_far_from(target)) return std::nullopt;
  const int start = first.with.value_or(most_);
  if (!own.with && !own.without) return Task{start, variant, false};
  const int known = own.with ? *own.with : *own.without;
  const int stride = std::max(1, 2 * std::abs(start - known));
  const int next = own.with ? std::max(known - stride, least_) : std::min(known + stride, most_);
  if ((own.with && own.without) || next == known) return std::nullopt;
  return Task{next, variant, false};
}

// What a multiple of 1 comes to.
void HeadroomSearch::start() {
  ReplayOptions options = options_.replay;
  options.spread = 0;
  report_.log = as_replayed(options, classes_, 1);
  std::erase_if(report_.log.warnings, is_of_unused_entry);  // of time-outs alone: no scale has been read
  for (Remark& remark : log_.arrivals().unused_entries_of(options_.replay))
    report_.log.warnings.push_back(std::move(remark));
  finish_lists(report_.log, options.top, false);
  std::vector<ReplayReport> with_recorded_ends;  // the log leaves open which is right
  if (report_.log.undecided && contradicts_log(report_.log)) {
    options.unknown_waits = UnknownWaits::recorded_ends;
    with_recorded_ends.push_back(replayed(log_.replay(options, classes_), 1));
  }
  warn_of_contradiction(options_.replay, report_.log, with_recorded_ends);
  variants_ = variants_of(options_.replay, report_.log);
  report_.variants = static_cast<int>(variants_.size());
  for (const LevelReport& level : report_.log.levels) {
    if (level.exempt || level.tally.requests == 0) continue;
    HeadroomLevel& out = report_.levels.emplace_back();
    out.name = level.name;
    out.requests = level.tally.requests;
    out.nominal_seats = level.nominal_cl;
    out.most_seats = level.max_cl;
  }
  for (std::size_t i = 0; i < report_.levels.size(); ++i)
    for (const Event event : {Event::waits, Event::refuses}) targets_.push_back({i, event});
  const auto step_of = [](double multiple) { return std::log2(multiple) * kOctave; };
  most_ = static_cast<int>(std::ceil(step_of(options_.most) - 1e-9));
  least_ = static_cast<int>(std::floor(step_of(options_.least) + 1e-9));
}

// Up by octaves until everything happens, down until nothing does.
void HeadroomSearch::explore() {
  const auto happens = [&](int step) { return [this, step](const Target& target) { return holds(target, step, 0); }; };
  try_all({{0, 0, false}});
  for (int step = 0; !report_.interrupted && step < most_;) {
    if (std::all_of(targets_.begin(), targets_.end(), happens(step))) break;
    step = std::min(step + kOctave, most_);
    try_all({{step, 0, false}});
  }
  for (int step = 0; !report_.interrupted && step > least_;) {
    if (std::none_of(targets_.begin(), targets_.end(), happens(step))) break;
    step = std::max(step - kOctave, least_);
    try_all({{step, 0, false}});
  }
}

// The first variant before the others, which begin where it ends.
void HeadroomSearch::narrow() {
  for (const bool others : {false, true}) {
    const std::size_t first = others ? 1 : 0, last = others ? variants_.size() : 1;
    while (!report_.interrupted) {
      Tasks next;
      for (const Target& target : targets_)
        for (std::size_t variant = first; variant < last; ++variant)
          if (const auto task = next_task(target, variant)) next.insert(*task);
      if (next.empty()) break;
      try_all(next);
    }
  }
}

HeadroomFigure HeadroomSearch::figure(std::size_t level, Event event) const {
  const auto multiple_of = [&](std::size_t variant) -> std::optional<double> {
    const Bracket found = bracket({level, event}, variant);
    return found.with ? std::optional(multiple_at(*found.with)) : std::nullopt;
  };
  HeadroomFigure out{multiple_of(0), multiple_of(0), multiple_of(0)};
  for (std::size_t variant = 1; variant < variants_.size(); ++variant) {
    const std::optional<double> other = multiple_of(variant);
    if (other) out.low = std::min(out.low.value_or(*other), *other);
    out.high = out.high && other ? std::optional(std::max(*out.high, *other)) : std::nullopt;
  }
  return out;
}

std::optional<int> HeadroomSearch::first_step(std::size_t level, Event event) const {
  return bracket({level, event}, 0).with;
}

void HeadroomSearch::fill_level(HeadroomLevel& level, std::size_t number) {
  level.waits_at = figure(number, Event::waits);
  level.refuses_at = figure(number, Event::refuses);
  const auto waits = first_step(number, Event::waits), refuses = first_step(number, Event::refuses);
  if (!waits && !refuses) return;
  level.refuses_first = refuses && (!waits || *refuses < *waits);
  const Flow& worst = at(level.refuses_first ? *refuses : *waits).worst[number];
  level.flow_schema = worst.schema;
  level.distinguisher = worst.distinguisher;
}

// One limit of a level half as large again, or twice as large; nothing: the level does not have that limit.
std::optional<HeadroomTrial> loosen(LimitedLevel& level, HeadroomLimit limit) {
  HeadroomTrial trial{limit, 0, 0, false};
  Queuing* queuing = level.queuing ? &*level.queuing : nullptr;
  switch (limit) {
    case HeadroomLimit::seats:
      return std::nullopt;
    case HeadroomLimit::shares:
      trial.from = level.nominal_concurrency_shares.value_or(30);
      trial.to = trial.from + (trial.from + 1) / 2 + (trial.from == 0 ? 1 : 0);
      level.nominal_concurrency_shares = trial.to;
      break;
    case HeadroomLimit::borrowing:
      if (!level.borrowing_limit_percent) return std::nullopt;
      trial.from = *level.borrowing_limit_percent;
      trial.to = -1;
      level.borrowing_limit_percent.reset();
      break;
    case HeadroomLimit::queue_length:
      if (!queuing) return std::nullopt;
      trial.from = queuing->queue_length_limit;
      trial.to = trial.from * 2;
      queuing->queue_length_limit = trial.to;
      break;
    case HeadroomLimit::queues:
      if (!queuing) return std::nullopt;
      trial.from = queuing->queues;
      trial.to = trial.from * 2;
      queuing->queues = trial.to;
      break;
  }
  return trial;
}

// The limit in every configuration of the log, as the first of them that has it says; seats: a quarter more.
std::optional<HeadroomTrial> loosen(ReplayOptions& options, const std::string& name, HeadroomLimit limit) {
  if (limit == HeadroomLimit::seats) {
    const int seats = options.server_concurrency_limit;
    options.server_concurrency_limit = seats + (seats + 3) / 4;
    options.seats_by_log = false;
    return HeadroomTrial{limit, seats, options.server_concurrency_limit, false};
  }
  std::optional<HeadroomTrial> first;
  const auto loosen_in = [&](Config& config) {
    PriorityLevel* level = find_level(config, name);
    if (!level || !level->limited) return;
    const std::optional<HeadroomTrial> trial = loosen(*level->limited, limit);
    if (!first) first = trial;
  };
  loosen_in(options.config);
  for (auto& [time, config] : options.config_changes) loosen_in(config);
  return first;
}

// Which limit it is: each alone is made larger, where the level begins to suffer.
void HeadroomSearch::try_limits() {
  struct LimitTask {
    std::size_t level;
    ReplayOptions options;
    HeadroomTrial trial;
    double multiple;
  };
  std::vector<LimitTask> tasks;
  for (std::size_t i = 0; i < report_.levels.size(); ++i) {
    const HeadroomLevel& level = report_.levels[i];
    const auto step = first_step(i, level.refuses_first ? Event::refuses : Event::waits);
    if (!step) continue;
    for (const HeadroomLimit limit : {HeadroomLimit::shares, HeadroomLimit::seats, HeadroomLimit::borrowing,
                                      HeadroomLimit::queue_length, HeadroomLimit::queues}) {
      ReplayOptions options = variants_.front();
      if (options.seats_by_log) options.server_concurrency_limit = report_.log.server_concurrency_limit;
      const std::optional<HeadroomTrial> trial = loosen(options, level.name, limit);
      if (!trial) continue;
      multiply(options, options_.clients, multiple_at(*step));
      tasks.push_back({i, std::move(options), *trial, multiple_at(*step)});
    }
  }
  run_tasks(tasks.size(), options_.replay.threads, [&](std::size_t number) {
    LimitTask& task = tasks[number];
    if (interrupted()) return;
    const HeadroomLevel& level = report_.levels[task.level];
    const ReplayReport report = as_replayed(task.options, log_.classify(task.options), task.multiple);
    const LevelFigures figures = figures_of(report, level.name);
    task.trial.helps = level.refuses_first ? figures.rejected == 0 : figures.p99 <= options_.wait_bound;
  });
  if (interrupted()) {
    report_.interrupted = true;
    return;
  }
  for (const LimitTask& task : tasks) report_.levels[task.level].trials.push_back(task.trial);
}

HeadroomReport HeadroomSearch::run() {
  report_.clients = options_.clients;
  report_.most = options_.most;
  report_.least = options_.least;
  report_.wait_bound = options_.wait_bound;
  start();
  if (!report_.levels.empty()) {
    explore();
    narrow();
    for (std::size_t i = 0; i < report_.levels.size(); ++i) fill_level(report_.levels[i], i);
    if (!report_.interrupted) try_limits();
  }
  if (report_.interrupted && !tried_.empty()) {  // of other multiples, nothing is known
    report_.least = multiple_at(tried_.begin()->first);
    report_.most = multiple_at(tried_.rbegin()->first);
  }
  for (const auto& [step, tried] : tried_) {
    if (tried.levels.front().empty()) continue;
    HeadroomPoint& point = report_.points.emplace_back();
    point.multiple = multiple_at(step);
    for (std::size_t i = 0; i < report_.levels.size(); ++i) {
      const LevelFigures& own = tried.levels.front()[i];
      HeadroomPoint::Level& level = point.levels.emplace_back();
      level = {own.requests, own.rejected, own.rejected, own.rejected, own.p99, own.p99, own.p99};
      for (const auto& variant : tried.levels) {
        if (variant.empty()) continue;
        level.rejected_low = std::min(level.rejected_low, variant[i].rejected);
        level.rejected_high = std::max(level.rejected_high, variant[i].rejected);
        level.p99_low = std::min(level.p99_low, variant[i].p99);
        level.p99_high = std::max(level.p99_high, variant[i].p99);
      }
    }
  }
  report_.replays = replays_;
  return std::move(report_);
}

}  // namespace

HeadroomReport find_headroom(const HeadroomOptions& options) {
  check(options);
  return HeadroomSearch(options).run();
}

}  // namespace apf
