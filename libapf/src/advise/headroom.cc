// apf::find_headroom(): one prepared log, replayed at many multiples of its load.
#include <apf/advise.h>

#include <apf/error.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "advise/clients.h"
#include "advise/level_figures.h"
#include "advise/loosened.h"
#include "advise/multiples.h"
#include "base/parallel.h"
#include "replay/books/worst_case.h"
#include "replay/engine/seat_sizes.h"
#include "replay/engine/unused_entries.h"
#include "replay/passes/contradiction.h"
#include "replay/passes/ensemble.h"
#include "replay/passes/recording.h"

namespace apf {

namespace {

// Steps of an octave: multiples are tried to within 2.2 %. Where replays of one multiple differ by more than kCoarse
// steps, finer ones would say nothing, and none of the others is looked for more finely.
constexpr int kOctave = 32, kDecade = 107, kCoarse = 4;
// A level is full where at least one of its requests waits for this part of the time.
constexpr double kFull = 0.5;
// A cliff is looked for up to an octave above the first refusal; less than this part of the requests refused, or fewer
// than so many, is none.
constexpr double kCliffPart = 0.01, kCliffLeast = 10;

// The replays at one multiple.
struct Tried {
  std::vector<std::vector<LevelFigures>> levels;  // by variant; empty: that one was not replayed
  bool as_replayed = false;      // the first variant is what replay() reports, which takes more of them
  std::vector<WorstFlow> worst;  // of the first variant, by level
};

enum class Event : std::uint8_t { waits, refuses, full };

// With the clients among the scales, the log says who is not in it.
ReplayOptions with_clients(const HeadroomOptions& options) {
  ReplayOptions out = options.replay;
  for (const std::string& user : options.clients)
    if (std::none_of(out.scales.begin(), out.scales.end(), [&](const LoadScale& scale) { return scale.user == user; }))
      out.scales.push_back({user, 1, false});
  return out;
}

// Of the clients, of other scales and of the nodes.
void refuse_unused_scales(const std::vector<Remark>& unused) {
  for (const Remark& remark : unused)
    if (remark.kind == RemarkKind::scale_unused)
      throw Error("no request of the log is of " + remark.name + ": there is no load to multiply");
}

class HeadroomSearch {
 public:
  explicit HeadroomSearch(const HeadroomOptions& options)
      : options_(options),
        log_(Recording::of_any_configuration(with_clients(options))),
        classes_(log_.classify(options.replay)) {
    refuse_unused_scales(log_.arrivals().unused_entries_of(with_clients(options)));
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
  int seats_at(int step) const;
  void apply(ReplayOptions& options, int step) const;
  void start();
  void explore();
  void narrow(std::size_t first, std::size_t last, int width, bool confirms);
  void make_place(int step);
  void note(const Task& task, const ReplayReport& report);
  void try_all(const Tasks& tasks);
  bool holds(const Target& target, int step, std::size_t variant) const;
  Bracket bracket(const Target& target, std::size_t variant) const;
  bool is_far_from(const Target& target) const;
  std::uint64_t replays_left() const;
  bool agree(const Target& target) const;
  std::optional<Task> next_task(const Target& target, std::size_t variant, int width, bool confirms) const;
  HeadroomFigure figure(std::size_t level, Event event) const;
  std::optional<HeadroomLevel::Cliff> cliff_of(std::size_t level);
  void fill_level(HeadroomLevel& level, std::size_t number);
  void try_limits();
  bool interrupted() const { return options_.replay.interrupted && *options_.replay.interrupted; }
  ReplayReport replayed(ReplayReport report, double multiple, int replays = 1) {
    const std::lock_guard lock(mutex_);
    replays_ += static_cast<std::uint64_t>(replays);
    if (options_.progress) options_.progress({replays_, about_all_, multiple, borne_});
    return report;
  }
  // What replay() would report, or enough of it to decide.
  ReplayReport as_replayed(const ReplayOptions& options, const Recording::Classes& classes, double multiple,
                           const PreparedLog::Decided& decided = nullptr) {
    ReplayReport report = replayed(log_.replay(options, classes, decided), multiple);
    if (!log_.is_one_of_several(options, report)) return report;
    return replayed(log_.median_replay(options), multiple, options.candidates + 1);
  }

  const HeadroomOptions& options_;
  const Recording log_;
  const Recording::Classes classes_;
  std::vector<ReplayOptions> variants_;
  HeadroomReport report_;
  std::vector<Target> targets_;
  std::map<int, Tried> tried_;
  int least_ = 0, most_ = 0;
  double borne_ = 0;  // the largest multiple so far up to which nothing happens
  std::mutex mutex_;
  std::uint64_t replays_ = 0, about_all_ = 0;
};

double HeadroomSearch::multiple_at(int step) const {
  if (step == 0) return 1;
  const double exact = std::exp2(static_cast<double>(step) / kOctave), digits = exact < 1 ? 1000 : 100;
  return std::clamp(std::round(exact * digits) / digits, options_.least, options_.most);
}

// From the largest number on downwards: the more steps, the harder it is for the levels.
int HeadroomSearch::seats_at(int step) const {
  return seats_below(options_.least_seats, options_.most_seats, static_cast<double>(step) / kOctave);
}

void HeadroomSearch::apply(ReplayOptions& options, int step) const {
  switch (options_.of) {
    case HeadroomOf::load:
      return multiply(options, options_.clients, multiple_at(step));
    case HeadroomOf::slowness:
      return slow_down(options, options_.clients, multiple_at(step));
    case HeadroomOf::seats:
      options.server_concurrency_limit = seats_at(step);
      options.seats_by_log = false;
  }
}

void check(const HeadroomOptions& options) {
  if (!(options.least > 0 && options.least <= 1 && options.most >= 1 && options.most <= 1000))
    throw Error("multiples of the load from " + std::to_string(options.least) + " to " + std::to_string(options.most) +
                " cannot be tried: the least is between 0 and 1, the most between 1 and 1,000");
  if (options.of == HeadroomOf::seats && !(options.least_seats >= 1 && options.least_seats <= options.most_seats))
    throw Error("seats from " + std::to_string(options.least_seats) + " to " + std::to_string(options.most_seats) +
                " cannot be tried: the least is 1 or more, the most not less");
  if (options.replay.in_flight) throw Error("headroom is that of priority levels: API Priority and Fairness is off");
}

// Where it has its place: see try_all().
void HeadroomSearch::note(const Task& task, const ReplayReport& report) {
  Tried& tried = tried_.at(task.step);
  std::vector<LevelFigures>& levels = tried.levels[task.variant];
  levels.clear();
  for (std::size_t i = 0; i < report_.levels.size(); ++i) {
    levels.push_back(figures_of_level(report, report_.levels[i].name));
    if (task.variant == 0) tried.worst[i] = worst_flow_of(report, report_.levels[i].name);
  }
}

void HeadroomSearch::make_place(int step) {
  Tried& tried = tried_[step];
  tried.levels.resize(variants_.size());
  tried.worst.resize(report_.levels.size());
}

void HeadroomSearch::try_all(const Tasks& tasks) {
  for (const Task& task : tasks) make_place(task.step);
  const std::vector<Task> all(tasks.begin(), tasks.end());
  run_tasks(all.size(), options_.replay.threads, [&](std::size_t number) {
    const Task& task = all[number];
    if (interrupted()) return;
    ReplayOptions options = variants_[task.variant];
    apply(options, task.step);
    options.all_flows = task.variant == 0;
    const ReplayReport report = task.as_replayed ? as_replayed(options, classes_, multiple_at(task.step))
                                                 : replayed(log_.replay(options, classes_), multiple_at(task.step));
    if (interrupted()) return;
    note(task, report);
    if (task.variant == 0)
      tried_.at(task.step).as_replayed = task.as_replayed || !log_.is_one_of_several(options, report);
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
  switch (target.event) {
    case Event::waits:
      return level.waits(options_.wait_bound);
    case Event::refuses:
      return level.rejected > 0;
    case Event::full:
      return level.never_idle >= kFull;
  }
  return false;
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

// At the largest multiple it does not come near: no other replay is asked. What waits on average (Little's law) is held
// against the length of one queue, the longest wait against how long a request may wait.
bool HeadroomSearch::is_far_from(const Target& target) const {
  constexpr Nanos kPart = 4;
  // The largest may have been tried in other variants only.
  const auto largest = std::find_if(tried_.rbegin(), tried_.rend(),
                                    [](const auto& tried) { return !tried.second.levels.front().empty(); });
  const LevelFigures& most = largest->second.levels.front()[target.level];
  if (most.rejected > 0) return false;
  if (most.p99 < options_.wait_bound / kPart && most.hung_up == 0) return true;
  if (target.event == Event::full) return most.never_idle < kFull / 2;
  const HeadroomLevel& level = report_.levels[target.level];
  const auto limits = std::find_if(report_.log.levels.begin(), report_.log.levels.end(),
                                   [&](const LevelReport& each) { return each.name == level.name; });
  return target.event == Event::refuses && most.longest < options_.replay.request_timeout / (4 * 2) &&
         most.waiting * 2 < limits->queue_length_limit;
}

// About: each halves a bracket; variants are tried at the ends of those before them.
std::uint64_t HeadroomSearch::replays_left() const {
  constexpr std::uint64_t kEnds = 2, kLimits = 5, kOfCliff = kOctave / kCoarse + 2;
  std::uint64_t out = 0;
  for (const Target& target : targets_)
    for (std::size_t variant = 0; variant < variants_.size(); ++variant) {
      if (variant > 0 && is_far_from(target)) continue;
      const Bracket own = bracket(target, variant);
      if (own.with && own.without)
        out += static_cast<std::uint64_t>(std::bit_width(static_cast<unsigned>(*own.with - *own.without) / kCoarse));
      else if (variant > 0) out += kEnds;
    }
  if (options_.of != HeadroomOf::seats) out += kLimits * report_.levels.size();
  return options_.of == HeadroomOf::slowness ? out + kOfCliff * report_.levels.size() : out;
}

// Nearer than kCoarse steps, a bracket is halved only where all replays agree.
bool HeadroomSearch::agree(const Target& target) const {
  const Bracket first = bracket(target, 0);
  for (std::size_t variant = 1; variant < variants_.size(); ++variant) {
    const Bracket own = bracket(target, variant);
    if (!own.with || !first.with || std::abs(*own.with - *first.with) > kCoarse) return false;
  }
  return true;
}

// What is not known yet of where it happens in this variant. The first one is halved from what explore() has tried; the
// second is looked for around it, as it lies near; the others only as far as they make the range of these two wider.
// `confirms`: the ends are replayed as replay() would report them.
std::optional<HeadroomSearch::Task> HeadroomSearch::next_task(const Target& target, std::size_t variant, int width,
                                                              bool confirms) const {
  const Bracket own = bracket(target, variant), first = bracket(target, 0);
  const auto halved = [&]() -> std::optional<Task> {
    if (!own.with || !own.without || *own.with - *own.without <= width) return std::nullopt;
    return Task{*own.without + (*own.with - *own.without) / 2, variant, false};
  };
  if (variant == 0) {
    if (const auto task = halved(); task || !confirms) return task;
    for (const std::optional<int>& end : {own.with, own.without})
      if (end && (own.with || *end == most_) && !tried_.at(*end).as_replayed) return Task{*end, 0, true};
    return std::nullopt;
  }
  if (!first.with && is_far_from(target)) return std::nullopt;
  int start = first.with.value_or(most_);
  if (variant > 1) {
    const std::optional<int> second = bracket(target, 1).with;
    const int low = std::min(start, second.value_or(most_)), high = std::max(start, second.value_or(most_));
    const int below = first.with || second ? std::max(low - width, least_) : most_;
    const bool is_as_low = own.without && *own.without >= below;
    const bool is_as_high = !first.with || !second || (own.with && *own.with <= high);
    if (is_as_low && is_as_high) return std::nullopt;
    const auto is_tried = [&](int step) { return tried_.contains(step) && !tried_.at(step).levels[variant].empty(); };
    if (!is_as_high && !is_tried(high)) return Task{high, variant, false};
    if (!is_as_low && !is_tried(below)) return Task{below, variant, false};
    start = is_as_low ? high : low;
  }
  if (const auto task = halved()) return task;
  if (!own.with && !own.without) return Task{start, variant, false};
  const int known = own.with ? *own.with : *own.without;
  const int stride = std::max(width, 2 * std::abs(start - known));
  const int next = own.with ? std::max(known - stride, least_) : std::min(known + stride, most_);
  if ((own.with && own.without) || next == known) return std::nullopt;
  return Task{next, variant, false};
}

// What a multiple of 1 comes to.
void HeadroomSearch::start() {
  ReplayOptions options = options_.replay;
  options.spread = 0;
  options.all_flows = true;
  report_.log = as_replayed(options, classes_, 1);
  std::erase_if(report_.log.warnings, is_of_unused_entry);  // of time-outs alone: no scale has been read
  for (Remark& remark : log_.arrivals().unused_entries_of(options_.replay))
    report_.log.warnings.push_back(std::move(remark));
  hold_against_log(options, report_.log,
                   [&](const ReplayOptions& own) { return replayed(log_.replay(own, classes_), 1); });
  // A server with another load starts when it starts: nothing says how its clock ticks.
  variants_ = variants_of(options_.replay, report_.log, true);
  report_.variants = static_cast<int>(variants_.size());
  for (const LevelReport& level : report_.log.levels) {
    if (level.exempt || level.tally.requests == 0) continue;
    HeadroomLevel& out = report_.levels.emplace_back();
    out.name = level.name;
    out.requests = level.tally.requests;
    out.nominal_seats = level.nominal_cl;
    out.most_seats = level.max_cl;
  }
  // That is the first variant at a multiple of 1.
  if (options_.of != HeadroomOf::seats && !interrupted()) {
    make_place(0);
    note({0, 0, true}, report_.log);
    tried_[0].as_replayed = true;
  }
  finish_lists(report_.log, options.top, false);
  for (std::size_t i = 0; i < report_.levels.size(); ++i)
    for (const Event event : {Event::waits, Event::refuses, Event::full})
      if (event != Event::full || options_.of == HeadroomOf::slowness) targets_.push_back({i, event});
  const auto step_of = [](double multiple) { return std::log2(multiple) * kOctave; };
  most_ = static_cast<int>(std::ceil(step_of(options_.most) - 1e-9));
  least_ = static_cast<int>(std::floor(step_of(options_.least) + 1e-9));
  if (options_.of != HeadroomOf::seats) return;
  least_ = 0;
  most_ = steps_between(options_.least_seats, options_.most_seats, kOctave);
}

// Up by decades until everything happens, down until nothing does.
void HeadroomSearch::explore() {
  const auto happens = [&](int step) { return [this, step](const Target& target) { return holds(target, step, 0); }; };
  if (!tried_.contains(0)) try_all({{0, 0, false}});
  for (int step = 0; !report_.interrupted && step < most_;) {
    if (std::all_of(targets_.begin(), targets_.end(), happens(step))) break;
    step = std::min(step + kDecade, most_);
    try_all({{step, 0, false}});
  }
  for (int step = 0; !report_.interrupted && step > least_;) {
    if (std::none_of(targets_.begin(), targets_.end(), happens(step))) break;
    step = std::max(step - kDecade, least_);
    try_all({{step, 0, false}});
  }
}

// Variants [first, last), to within `width` steps.
void HeadroomSearch::narrow(std::size_t first, std::size_t last, int width, bool confirms) {
  while (!report_.interrupted) {
    Tasks next;
    for (const Target& target : targets_)
      for (std::size_t variant = first; variant < last; ++variant)
        if (width >= kCoarse || agree(target))
          if (const auto task = next_task(target, variant, width, confirms)) next.insert(*task);
    if (next.empty()) break;
    about_all_ = replays_ + replays_left();
    try_all(next);
  }
}

// Of the first variant alone, in steps of a tenth, from before the first refusal up.
std::optional<HeadroomLevel::Cliff> HeadroomSearch::cliff_of(std::size_t level) {
  const std::optional<int> first = bracket({level, Event::refuses}, 0).with;
  if (!first) return std::nullopt;
  Tasks tasks;
  std::vector<int> steps;
  for (int step = std::max(*first - kCoarse, least_); step <= std::min(*first + kOctave, most_); step += kCoarse) {
    steps.push_back(step);
    if (!tried_.contains(step) || tried_[step].levels.front().empty()) tasks.insert({step, 0, false});
  }
  try_all(tasks);
  std::optional<HeadroomLevel::Cliff> out;
  for (std::size_t i = 1; i < steps.size() && !report_.interrupted; ++i) {
    const LevelFigures &before = tried_[steps[i - 1]].levels.front()[level],
                       &then = tried_[steps[i]].levels.front()[level];
    const double least = std::max(kCliffPart * static_cast<double>(then.requests), kCliffLeast);
    const bool counts = static_cast<double>(then.rejected) >= least;
    if (!counts || then.rejected < 2 * before.rejected) continue;
    if (!out || then.rejected - before.rejected > out->refused_then - out->refused)
      out = {multiple_at(steps[i - 1]), multiple_at(steps[i]), before.rejected, then.rejected};
  }
  return out;
}

// Multiples: the first one at which it happens. Seats: the fewest for which it does not.
HeadroomFigure HeadroomSearch::figure(std::size_t level, Event event) const {
  const bool of_seats = options_.of == HeadroomOf::seats;
  const auto value_at = [&](const Bracket& found) -> std::optional<double> {
    const std::optional<int>& step = of_seats ? found.without : found.with;
    if (!step) return std::nullopt;
    return of_seats ? seats_at(*step) : multiple_at(*step);
  };
  const std::optional<double> first = value_at(bracket({level, event}, 0));
  HeadroomFigure out{first, first, first};
  for (std::size_t variant = 1; variant < variants_.size(); ++variant) {
    const Bracket found = bracket({level, event}, variant);
    // It was not asked, as it is far from that or lies within the others' range.
    if (of_seats && (found.with ? *found.with - found.without.value_or(least_) > kCoarse : found.without != most_))
      continue;
    const std::optional<double> other = value_at(found);
    if (other) out.low = std::min(out.low.value_or(*other), *other);
    out.high = out.high && other ? std::optional(std::max(*out.high, *other)) : std::nullopt;
  }
  return out;
}

void HeadroomSearch::fill_level(HeadroomLevel& level, std::size_t number) {
  if (options_.of == HeadroomOf::seats) {
    level.seats_for_waits = figure(number, Event::waits);
    level.seats_for_refusals = figure(number, Event::refuses);
    return;
  }
  level.waits_at = figure(number, Event::waits);
  level.refuses_at = figure(number, Event::refuses);
  if (options_.of == HeadroomOf::slowness) {
    level.full_at = figure(number, Event::full);
    level.cliff = cliff_of(number);
  }
  const auto waits = bracket({number, Event::waits}, 0).with, refuses = bracket({number, Event::refuses}, 0).with;
  if (!waits && !refuses) return;
  level.refuses_first = refuses && (!waits || *refuses < *waits);
  const WorstFlow& worst = tried_[level.refuses_first ? *refuses : *waits].worst[number];
  level.flow_schema = worst.schema;
  level.distinguisher = worst.distinguisher;
}

// Which limit it is: each alone is made larger, where the level begins to suffer.
void HeadroomSearch::try_limits() {
  struct LimitTask {
    std::size_t level;
    ReplayOptions options;
    HeadroomTrial trial;
    double multiple;
    std::uint64_t requests;  // of the level
    bool changes;
  };
  std::vector<LimitTask> tasks;
  for (std::size_t i = 0; i < report_.levels.size(); ++i) {
    const HeadroomLevel& level = report_.levels[i];
    const auto step = bracket({i, level.refuses_first ? Event::refuses : Event::waits}, 0).with;
    if (!step) continue;
    for (const HeadroomLimit limit : {HeadroomLimit::shares, HeadroomLimit::seats, HeadroomLimit::borrowing,
                                      HeadroomLimit::queue_length, HeadroomLimit::queues}) {
      ReplayOptions options = variants_.front();
      if (options.seats_by_log) options.server_concurrency_limit = report_.log.server_concurrency_limit;
      const std::optional<HeadroomTrial> trial = loosen(options, level.name, limit);
      if (!trial) continue;
      apply(options, *step);
      // A longer queue changes nothing where none was full.
      const bool changes = limit != HeadroomLimit::queue_length || tried_[*step].levels.front()[i].queues_full > 0;
      const std::uint64_t requests = tried_[*step].levels.front()[i].requests;
      tasks.push_back({i, std::move(options), *trial, multiple_at(*step), requests, changes});
    }
  }
  run_tasks(tasks.size(), options_.replay.threads, [&](std::size_t number) {
    LimitTask& task = tasks[number];
    if (interrupted() || !task.changes) return;
    const HeadroomLevel& level = report_.levels[task.level];
    const auto fails = [&](const std::vector<FlowReport>& so_far) {
      return level.refuses_first ? will_refuse(so_far, level.name)
                                 : will_wait(so_far, level.name, task.requests, options_.wait_bound);
    };
    const ReplayReport report = as_replayed(task.options, log_.classify(task.options), task.multiple, fails);
    const LevelFigures figures = figures_of_level(report, level.name);
    task.trial.helps = level.refuses_first ? figures.rejected == 0 : !figures.waits(options_.wait_bound);
  });
  if (interrupted()) {
    report_.interrupted = true;
    return;
  }
  for (const LimitTask& task : tasks) report_.levels[task.level].trials.push_back(task.trial);
}

HeadroomReport HeadroomSearch::run() {
  report_.clients = options_.clients;
  report_.of = options_.of;
  report_.least_seats = options_.least_seats;
  report_.most_seats = options_.most_seats;
  report_.most = options_.most;
  report_.least = options_.least;
  report_.wait_bound = options_.wait_bound;
  start();
  if (!report_.levels.empty()) {
    explore();
    // The first variant before the second, and these before the others, which are held against both. Then it alone
    // more finely, and only where that has ended as replay() reports it, which may take many replays of one multiple.
    narrow(0, 1, kCoarse, false);
    narrow(1, std::min<std::size_t>(2, variants_.size()), kCoarse, false);
    narrow(2, variants_.size(), kCoarse, false);
    narrow(0, 1, 1, true);
    narrow(0, 1, kCoarse, true);
    for (std::size_t i = 0; i < report_.levels.size(); ++i) fill_level(report_.levels[i], i);
    if (!report_.interrupted && options_.of != HeadroomOf::seats) try_limits();
  }
  if (report_.interrupted && !tried_.empty() &&
      options_.of != HeadroomOf::seats) {  // of other multiples, nothing is known
    report_.least = multiple_at(tried_.begin()->first);
    report_.most = multiple_at(tried_.rbegin()->first);
  }
  for (const auto& [step, tried] : tried_) {
    if (tried.levels.front().empty()) continue;
    HeadroomPoint& point = report_.points.emplace_back();
    if (options_.of == HeadroomOf::seats) point.seats = seats_at(step);
    else point.multiple = multiple_at(step);
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
