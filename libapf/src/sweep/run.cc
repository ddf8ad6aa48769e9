#include "sweep/run.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <apf/error.h>
#include <fmt/core.h>

#include "base/parallel.h"
#include "replay/engine/run_options.h"
#include "replay/engine/unused_entries.h"
#include "replay/passes/contradiction.h"
#include "replay/passes/ensemble.h"
#include "replay/passes/kept_reading.h"
#include "replay/passes/prepared_log.h"
#include "replay/passes/run.h"
#include "schedule/controller.h"

namespace apf {

namespace {

// "2 times the load", "2 times that of system:node:* (as more clients)"
std::string load_words(const std::vector<LoadScale>& scales) {
  std::string out;
  for (const LoadScale& scale : scales)
    out += fmt::format("{}{} times {}{}", out.empty() ? "" : ", ", scale.factor,
                       scale.user.empty() ? "the load" : "that of " + scale.user,
                       scale.clients ? " (as more clients)" : "");
  return out;
}

// `plain`: without jitter, with what speaks against it; it, or the replay of the log's own load, was compared with it.
void note_agreement(const ReplayReport& plain, bool is_compared, SweepCell& cell) {
  for (const Remark& remark : plain.warnings)
    if (is_of_contradiction(remark)) cell.contradiction.push_back(remark);
  cell.agrees = cell.contradiction.empty() && is_compared;
}

// The replays of one log.
class LogRun {
 public:
  LogRun(const SweepOptions& options, std::size_t number) : options_(options), log_(options.logs[number]) {}

  // `first` and `end`: numbers within the log. Empty: interrupted.
  std::vector<SweepCell> run(std::uint64_t first, std::uint64_t end);

 private:
  struct Combination {
    std::size_t number = 0;
    ReplayOptions options;
    std::vector<std::size_t> cells;  // in the result
  };
  // Combinations of one key share a reading of the log: release, whether it is asked what lists return, request timeout
  // and, where the recorded server is replayed first, its borrowing and its seats.
  using ReadingKey = std::tuple<KubeVersion, bool, Nanos, Borrowing, int>;
  struct Reading {
    std::map<bool, std::vector<Combination>> prepared;  // by whether clients are told from users
    std::vector<Combination> kept;                      // which a prepared log cannot be replayed with
    bool may_need_more = false;                         // of them, and what is not a file cannot be read again
    // The log is read for all of them at once; else it is read as the only one of `prepared` needs it.
    bool is_kept() const { return !kept.empty() || prepared.size() > 1 || may_need_more; }
  };

  ReplayOptions options_of(std::size_t combination) const;
  static ReadingKey reading_key(const ReplayOptions& options);
  static bool tells_clients(const ReplayOptions& options, bool about_clients);
  std::map<ReadingKey, Reading> divide(std::uint64_t first, std::uint64_t end, std::vector<SweepCell>& cells) const;
  void run_reading(Reading& reading, std::vector<SweepCell>& cells) const;
  void keep_and_run(Reading& reading, std::vector<SweepCell>& cells) const;
  void prepare(const std::vector<Combination>& combinations, const KeptReading* reading,
               std::vector<SweepCell>& cells) const;
  void replay(const PreparedLog& log, const KeptReading* reading, const Combination& combination,
              std::vector<SweepCell>& cells) const;
  void replay_kept(const KeptReading& reading, const std::vector<Combination>& combinations,
                   std::vector<SweepCell>& cells) const;
  void fill(SweepCell& cell, const ReplayReport& report) const;
  [[noreturn]] void refuse_change() const;
  std::size_t seed_of(const SweepCell& cell) const { return cell.number % options_.seeds.size(); }
  // `sweeps`: the clock is in another phase for each seed.
  ReplayOptions of_seed(const Combination& combination, std::size_t seed, bool sweeps) const;
  bool interrupted() const { return options_.interrupted && *options_.interrupted; }

  const SweepOptions& options_;
  const SweepLog& log_;
};

ReplayOptions LogRun::options_of(std::size_t combination) const {
  ReplayOptions out = options_.combinations[combination].replay;
  out.logs = log_.files;
  if (log_.counts) out.objects = ObjectCounts(*log_.counts);
  out.threads = options_.threads;
  out.memory = options_.memory;
  out.digest = true;
  out.interrupted = options_.interrupted;
  return out;
}

ReplayOptions LogRun::of_seed(const Combination& combination, std::size_t seed, bool sweeps) const {
  ReplayOptions own = combination.options;
  if (options_.seeds[seed] == 0) return own;
  own.candidates = 0;
  own.jitter = options_.jitter;
  own.jitter_seed = options_.seeds[seed];
  if (sweeps)  // the phases lie evenly in the 10 s
    own.clock_shift = kBorrowingPeriod * static_cast<Nanos>(seed) / static_cast<Nanos>(options_.seeds.size());
  return own;
}

// `about_clients`: some of the combinations are about clients. It changes no replay but those of a scaled load, where
// each client has its own copies.
bool LogRun::tells_clients(const ReplayOptions& options, bool about_clients) {
  return options.scales.empty() ? about_clients : is_about_clients(options);
}

LogRun::ReadingKey LogRun::reading_key(const ReplayOptions& options) {
  const bool bytes = options.list_widths.bytes > 0;
  if (!options.recorded) return {options.version, bytes, options.request_timeout, Borrowing::server, 0};
  const bool known = options.recorded->server_concurrency_limit || options.recorded->seats_unless_logged;
  return {options.version, bytes, options.request_timeout, options.borrowing,
          known ? 0 : options.server_concurrency_limit};
}

std::map<LogRun::ReadingKey, LogRun::Reading> LogRun::divide(std::uint64_t first, std::uint64_t end,
                                                             std::vector<SweepCell>& cells) const {
  const std::size_t seeds = options_.seeds.size();
  bool clients = false;
  for (std::uint64_t number = first; number < end; number += seeds - number % seeds) {
    const ReplayOptions& of = options_.combinations[static_cast<std::size_t>(number / seeds)].replay;
    clients = clients || (!why_not_prepared(of) && is_about_clients(of));
  }
  std::map<ReadingKey, Reading> out;
  for (std::uint64_t number = first; number < end; ++number) {
    const auto combination = static_cast<std::size_t>(number / seeds);
    const ReplayOptions& of = options_.combinations[combination].replay;
    Reading& reading = out[reading_key(of)];
    std::vector<Combination>& same = why_not_prepared(of) ? reading.kept : reading.prepared[tells_clients(of, clients)];
    if (same.empty() || same.back().number != combination) {
      same.emplace_back().number = combination;
      same.back().options = options_of(combination);
    }
    const bool is_plain = options_.seeds[static_cast<std::size_t>(number % seeds)] == 0;
    if (of.recorded && is_plain && !can_be_read_again(same.back().options)) reading.may_need_more = true;
    cells[number - first].number = number;  // within the log, for now
    same.back().cells.push_back(number - first);
  }
  return out;
}

std::vector<SweepCell> LogRun::run(std::uint64_t first, std::uint64_t end) {
  std::vector<SweepCell> cells(end - first);
  std::map<ReadingKey, Reading> readings = divide(first, end, cells);
  if (readings.size() > 1)
    check_can_be_read_again(options_of(static_cast<std::size_t>(first / options_.seeds.size())), "the plan");
  for (auto& [key, reading] : readings) {
    run_reading(reading, cells);
    if (interrupted()) return {};
  }
  for (const SweepCell& cell : cells)
    if (!(cell.log == cells.front().log)) refuse_change();
  return cells;
}

void LogRun::refuse_change() const {
  throw Error("a file of the log " + log_.name + " was changed while it was replayed: start again");
}

void LogRun::run_reading(Reading& reading, std::vector<SweepCell>& cells) const {
  if (reading.is_kept()) keep_and_run(reading, cells);
  else prepare(reading.prepared.begin()->second, nullptr, cells);
}

void LogRun::keep_and_run(Reading& reading, std::vector<SweepCell>& cells) const {
  std::vector<ReplayOptions> all;
  const auto add = [&](const std::vector<Combination>& combinations) {
    for (const Combination& combination : combinations) all.push_back(combination.options);
  };
  for (const auto& [clients, combinations] : reading.prepared) add(combinations);
  add(reading.kept);
  const auto run_kept = [&](KeptReading& log) {
    log.read();
    if (interrupted() || log.longer_window()) return false;
    for (const auto& [clients, combinations] : reading.prepared) prepare(combinations, &log, cells);
    replay_kept(log, reading.kept, cells);
    return true;
  };
  run_with_window(
      [&](Nanos window) { return KeptReading(all.front(), {.systems = all}, window, KeptReading::Flow::of_shapes); },
      run_kept, [] {});
}

// `reading`: of the log, for these combinations too; null: it is read now.
void LogRun::prepare(const std::vector<Combination>& combinations, const KeptReading* reading,
                     std::vector<SweepCell>& cells) const {
  const auto of_clients = std::find_if(combinations.begin(), combinations.end(),
                                       [](const Combination& c) { return is_about_clients(c.options); });
  ReplayOptions options = (of_clients == combinations.end() ? combinations.begin() : of_clients)->options;
  options.in_flight.reset();  // it is of the replay; the log is read for both
  const PreparedLog log(options, reading);
  if (interrupted()) return;
  const CellLog read = cell_log(log_.name, log.read());
  run_tasks(combinations.size(), options_.threads, [&](std::size_t i) {
    if (interrupted()) return;
    replay(log, reading, combinations[i], cells);
    const std::vector<Remark> unused = log.unused_entries_of(combinations[i].options);
    for (const std::size_t cell : combinations[i].cells) {
      cells[cell].log = read;
      cells[cell].unused = unused;
    }
  });
}

// All seeds of one combination. What the log leaves open is found by the replay without jitter.
void LogRun::replay(const PreparedLog& log, const KeptReading* reading, const Combination& combination,
                    std::vector<SweepCell>& cells) const {
  ReplayOptions alone = combination.options;
  alone.threads = 1;  // other combinations run beside it
  const std::shared_ptr<const PreparedLog::Classes> classes = log.classify_alone(alone);
  ReplayReport plain = log.replay(combination.options, *classes);
  const bool has_plain = std::any_of(combination.cells.begin(), combination.cells.end(),
                                     [&](std::size_t cell) { return options_.seeds[seed_of(cells[cell])] == 0; });
  if (has_plain && log.is_one_of_several(combination.options, plain)) {
    ReplayOptions own = combination.options;
    if (!reading) check_can_be_read_again(own, "the plan");
    own.threads = 1;  // others run beside it; the log is short
    plain = reading ? reading->replay(own) : apf::replay(own);
    if (plain.digest != log.read().digest && !interrupted()) refuse_change();
  }
  const bool sweeps = clock_is_open(combination.options, plain);
  const bool is_compared =
      hold_against_log(combination.options, plain, [&](const ReplayOptions& own) { return log.replay(own, *classes); });
  for (const std::size_t cell : combination.cells) {
    note_agreement(plain, is_compared, cells[cell]);
    const std::size_t seed = seed_of(cells[cell]);
    ReplayOptions own = of_seed(combination, seed, sweeps);
    if (interrupted()) return;
    cells[cell].replays.push_back(cell_replay(options_.seeds[seed] == 0 ? plain : log.replay(own, *classes)));
    if (!plain.undecided || interrupted()) continue;
    own.unknown_waits = UnknownWaits::recorded_ends;
    cells[cell].replays.push_back(cell_replay(log.replay(own, *classes)));
  }
}

void LogRun::fill(SweepCell& cell, const ReplayReport& report) const {
  cell.log = cell_log(log_.name, report);
  for (const Remark& remark : report.warnings)
    if (is_of_unused_entry(remark)) cell.unused.push_back(remark);
  cell.replays.push_back(cell_replay(report));
  if (report.others.empty()) return;
  cell.replays.push_back(cell_replay(report.others.front()));
  cell.clients_open = !report.undecided;
}

// Those of which a prepared log keeps too little: what happens in the handler, clients that wait or come back. First
// all without jitter, which find what the log leaves open, then the other seeds.
void LogRun::replay_kept(const KeptReading& reading, const std::vector<Combination>& combinations,
                         std::vector<SweepCell>& cells) const {
  struct Task {
    std::size_t combination, cell;
    bool sweeps;
  };
  std::vector<std::vector<Task>> found(combinations.size());
  std::vector<KeptReading::Classes> classes(combinations.size());
  run_tasks(combinations.size(), options_.threads, [&](std::size_t i) {
    if (interrupted()) return;
    const Combination& combination = combinations[i];
    ReplayOptions own = combination.options;
    own.threads = 1;
    classes[i] = reading.classify(own);
    const ReplayReport plain = reading.replay(own, classes[i]);
    const bool sweeps = clock_is_open(own, plain);
    ReplayReport compared = plain;
    const bool is_compared =
        hold_against_log(own, compared, [&](const ReplayOptions& other) { return reading.replay(other, classes[i]); });
    for (const std::size_t cell : combination.cells) {
      note_agreement(compared, is_compared, cells[cell]);
      if (options_.seeds[seed_of(cells[cell])] == 0) fill(cells[cell], plain);
      else found[i].push_back({i, cell, sweeps});
    }
  });
  std::vector<Task> tasks;
  for (const std::vector<Task>& of_combination : found)
    tasks.insert(tasks.end(), of_combination.begin(), of_combination.end());
  run_tasks(tasks.size(), options_.threads, [&](std::size_t i) {
    if (interrupted()) return;
    const Task& task = tasks[i];
    ReplayOptions own = of_seed(combinations[task.combination], seed_of(cells[task.cell]), task.sweeps);
    own.threads = 1;
    fill(cells[task.cell], reading.replay(own, classes[task.combination]));
  });
}

}  // namespace

bool run_share(const SweepOptions& options, const SweepShare& share, const std::function<void(SweepCell&&)>& sink) {
  const std::uint64_t of_log = options.replays_of_log();
  for (std::uint64_t at = share.first; at < share.end;) {
    const std::uint64_t log = at / of_log, end = std::min(share.end, (log + 1) * of_log);
    if (options.progress) options.progress(at - share.first, share.end - share.first);
    std::vector<SweepCell> cells =
        LogRun(options, static_cast<std::size_t>(log)).run(at - log * of_log, end - log * of_log);
    if (options.interrupted && *options.interrupted) return false;
    for (SweepCell& cell : cells) {
      cell.number += log * of_log;
      sink(std::move(cell));
    }
    at = end;
  }
  return true;
}

SweepReport begin_report(const SweepOptions& options) {
  SweepReport report;
  for (const SweepOptions::Combination& combination : options.combinations)
    report.combinations.push_back({combination.configuration, combination.flags, load_words(combination.replay.scales),
                                   combination.sizes_of,
                                   combination.sizes_of.empty() ? 0 : combination.replay.server_concurrency_limit});
  report.seeds = options.seeds;
  report.logs = options.logs.size();
  report.replays = options.replays();
  return report;
}

}  // namespace apf
