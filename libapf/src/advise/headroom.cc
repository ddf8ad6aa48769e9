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
#include "replay/clients/unused_entries.h"
#include "replay/contradiction.h"
#include "replay/worst_case.h"

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

// All replays at one multiple.
struct Tried {
  std::vector<std::vector<LevelFigures>> levels;  // by variant
  std::vector<Flow> worst;                        // of the first variant, by level
};

enum class Event : std::uint8_t { waits, refuses };
enum class Sure : std::uint8_t { as_replayed, in_any, in_all };

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
    Sure sure;
  };
  using Steps = std::set<int>;

  double multiple_at(int step) const;
  void start();
  void explore();
  void bisect();
  void try_all(const Steps& steps);
  Tried& at(int step) { return tried_[step]; }
  bool holds(const Target& target, int step) const;
  // The last step tried without and the first with; nothing: there is none with.
  std::optional<std::pair<int, int>> bracket(const Target& target) const;
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

void HeadroomSearch::try_all(const Steps& steps) {
  std::vector<std::pair<int, std::size_t>> tasks;
  for (const int step : steps) {
    if (tried_.contains(step)) continue;
    Tried& tried = tried_[step];
    tried.levels.resize(variants_.size());
    tried.worst.resize(report_.levels.size());
    for (std::size_t i = 0; i < variants_.size(); ++i) tasks.emplace_back(step, i);
  }
  run_tasks(tasks.size(), options_.replay.threads, [&](std::size_t number) {
    const auto [step, variant] = tasks[number];
    Tried& tried = tried_.at(step);
    tried.levels[variant].resize(report_.levels.size());
    if (interrupted()) return;
    ReplayOptions options = variants_[variant];
    multiply(options, options_.clients, multiple_at(step));
    options.all_flows = variant == 0;
    const ReplayReport report = variant == 0 ? as_replayed(options, classes_, multiple_at(step))
                                             : replayed(log_.replay(options, classes_), multiple_at(step));
    for (std::size_t i = 0; i < report_.levels.size(); ++i) {
      tried.levels[variant][i] = figures_of(report, report_.levels[i].name);
      if (variant == 0) tried.worst[i] = worst_of(report, report_.levels[i].name);
    }
  });
  if (interrupted()) {
    report_.interrupted = true;
    for (const int step : steps) tried_.erase(step);
  }
  borne_ = 0;
  for (const auto& tried : tried_) {
    const int step = tried.first;
    if (std::any_of(targets_.begin(), targets_.end(), [&](const Target& target) { return holds(target, step); })) break;
    borne_ = multiple_at(step);
  }
}

bool HeadroomSearch::holds(const Target& target, int step) const {
  const auto happens = [&](const std::vector<LevelFigures>& levels) {
    const LevelFigures& level = levels[target.level];
    return target.event == Event::waits ? level.p99 > options_.wait_bound : level.rejected > 0;
  };
  const auto& levels = tried_.at(step).levels;
  if (target.sure == Sure::as_replayed) return happens(levels.front());
  return target.sure == Sure::in_any ? std::any_of(levels.begin(), levels.end(), happens)
                                     : std::all_of(levels.begin(), levels.end(), happens);
}

std::optional<std::pair<int, int>> HeadroomSearch::bracket(const Target& target) const {
  int before = least_ - 1;
  for (const auto& [step, tried] : tried_) {
    if (holds(target, step)) return std::pair(before, step);
    before = step;
  }
  return std::nullopt;
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
    for (const Event event : {Event::waits, Event::refuses})
      for (const Sure sure : {Sure::as_replayed, Sure::in_any, Sure::in_all}) targets_.push_back({i, event, sure});
  const auto step_of = [](double multiple) { return std::log2(multiple) * kOctave; };
  most_ = static_cast<int>(std::ceil(step_of(options_.most) - 1e-9));
  least_ = static_cast<int>(std::floor(step_of(options_.least) + 1e-9));
}

// Up by octaves until everything happens, down until nothing does.
void HeadroomSearch::explore() {
  try_all({0});
  for (int step = 0; !report_.interrupted && step < most_;) {
    const bool all = std::all_of(targets_.begin(), targets_.end(), [&](const Target& t) { return holds(t, step); });
    if (all) break;
    step = std::min(step + kOctave, most_);
    try_all({step});
  }
  for (int step = 0; !report_.interrupted && step > least_;) {
    if (std::none_of(targets_.begin(), targets_.end(), [&](const Target& t) { return holds(t, step); })) break;
    step = std::max(step - kOctave, least_);
    try_all({step});
  }
}

void HeadroomSearch::bisect() {
  while (!report_.interrupted) {
    Steps next;
    for (const Target& target : targets_) {
      const auto found = bracket(target);
      if (found && found->first >= least_ && found->second - found->first > 1)
        next.insert(found->first + (found->second - found->first) / 2);
    }
    if (next.empty()) return;
    try_all(next);
  }
}

HeadroomFigure HeadroomSearch::figure(std::size_t level, Event event) const {
  const auto least = [&](Sure sure) -> std::optional<double> {
    const auto found = bracket({level, event, sure});
    return found ? std::optional(multiple_at(found->second)) : std::nullopt;
  };
  return {least(Sure::as_replayed), least(Sure::in_any), least(Sure::in_all)};
}

std::optional<int> HeadroomSearch::first_step(std::size_t level, Event event) const {
  const auto found = bracket({level, event, Sure::as_replayed});
  return found ? std::optional(found->second) : std::nullopt;
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
  struct Task {
    std::size_t level;
    ReplayOptions options;
    HeadroomTrial trial;
    double multiple;
  };
  std::vector<Task> tasks;
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
    Task& task = tasks[number];
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
  for (const Task& task : tasks) report_.levels[task.level].trials.push_back(task.trial);
}

HeadroomReport HeadroomSearch::run() {
  report_.clients = options_.clients;
  report_.most = options_.most;
  report_.least = options_.least;
  report_.wait_bound = options_.wait_bound;
  start();
  if (!report_.levels.empty()) {
    explore();
    bisect();
    for (std::size_t i = 0; i < report_.levels.size(); ++i) fill_level(report_.levels[i], i);
    if (!report_.interrupted) try_limits();
  }
  if (report_.interrupted && !tried_.empty()) {  // of other multiples, nothing is known
    report_.least = multiple_at(tried_.begin()->first);
    report_.most = multiple_at(tried_.rbegin()->first);
  }
  for (const auto& [step, tried] : tried_) {
    HeadroomPoint& point = report_.points.emplace_back();
    point.multiple = multiple_at(step);
    for (std::size_t i = 0; i < report_.levels.size(); ++i) {
      const LevelFigures& own = tried.levels.front()[i];
      HeadroomPoint::Level& level = point.levels.emplace_back();
      level = {own.requests, own.rejected, own.rejected, own.rejected, own.p99, own.p99, own.p99};
      for (const auto& variant : tried.levels) {
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
