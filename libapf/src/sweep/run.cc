#include "sweep/run.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <apf/error.h>

#include "replay/prepared_log.h"
#include "replay/run_options.h"
#include "replay/spread.h"
#include "schedule/controller.h"

namespace apf {

namespace {

CellLog about(const std::string& name, const LogReport& report) {
  CellLog out;
  out.name = name;
  out.bytes = report.bytes;
  out.requests = report.requests;
  for (const auto& [reason, lines] : report.unusable) out.unusable += lines;
  return out;
}

// The replays of one log.
class LogRun {
 public:
  LogRun(const SweepOptions& options, std::size_t number) : options_(options), log_(options.logs[number]) {}

  // `first` and `end`: numbers within the log. Empty: interrupted.
  std::vector<SweepCell> run(std::uint64_t first, std::uint64_t end);

 private:
  // What is read alike: release, request timeout, whether clients are told from users.
  using Reading = std::tuple<KubeVersion, Nanos, bool>;
  struct Combination {
    std::size_t number = 0;
    ReplayOptions options;
    std::vector<std::size_t> cells;  // in the result
  };

  ReplayOptions options_of(std::size_t combination) const;
  Reading reading_of(const ReplayOptions& options, bool about_clients) const;
  void read(std::vector<Combination>& combinations, std::vector<SweepCell>& cells);
  void replay(const PreparedLog& log, Combination& combination, std::vector<SweepCell>& cells) const;
  void replay_reading(const Combination& combination, std::vector<SweepCell>& cells) const;
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
LogRun::Reading LogRun::reading_of(const ReplayOptions& options, bool about_clients) const {
  return {options.version, options.request_timeout, options.scales.empty() ? about_clients : is_about_clients(options)};
}

std::vector<SweepCell> LogRun::run(std::uint64_t first, std::uint64_t end) {
  std::vector<SweepCell> cells(end - first);
  std::map<Reading, std::vector<Combination>> readings;
  std::vector<Combination> others;  // which a prepared log cannot be replayed with
  const std::size_t seeds = options_.seeds.size();
  bool clients = false;
  for (std::uint64_t number = first; number < end; number += seeds - number % seeds) {
    const ReplayOptions& of = options_.combinations[static_cast<std::size_t>(number / seeds)].replay;
    clients = clients || (!why_not_prepared(of) && is_about_clients(of));
  }
  for (std::uint64_t number = first; number < end; ++number) {
    const auto combination = static_cast<std::size_t>(number / seeds);
    const ReplayOptions& of = options_.combinations[combination].replay;
    std::vector<Combination>& alike = why_not_prepared(of) ? others : readings[reading_of(of, clients)];
    if (alike.empty() || alike.back().number != combination) {
      alike.emplace_back().number = combination;
      alike.back().options = options_of(combination);
    }
    cells[number - first].number = number;  // within the log, for now
    alike.back().cells.push_back(number - first);
  }
  std::size_t times = readings.size();  // that the log is read
  for (const Combination& combination : others) times += combination.cells.size();
  if (times > 1) check_can_be_read_again(options_of(static_cast<std::size_t>(first / seeds)), "the plan");
  for (auto& [reading, combinations] : readings) {
    read(combinations, cells);
    if (interrupted()) return {};
  }
  for (const Combination& combination : others) {
    replay_reading(combination, cells);
    if (interrupted()) return {};
  }
  return cells;
}

void LogRun::read(std::vector<Combination>& combinations, std::vector<SweepCell>& cells) {
  const auto of_clients = std::find_if(combinations.begin(), combinations.end(),
                                       [](const Combination& c) { return is_about_clients(c.options); });
  ReplayOptions options = (of_clients == combinations.end() ? combinations.begin() : of_clients)->options;
  options.in_flight.reset();  // it is of the replay; the log is read for both
  const PreparedLog log(options, options_.memory);
  if (interrupted()) return;
  const CellLog read = about(log_.name, log.read());
  run_tasks(combinations.size(), options_.threads, [&](std::size_t i) {
    if (interrupted()) return;
    replay(log, combinations[i], cells);
    for (const std::size_t cell : combinations[i].cells) cells[cell].log = read;
  });
}

// All seeds of one combination. What the log leaves open is found by the replay without jitter.
void LogRun::replay(const PreparedLog& log, Combination& combination, std::vector<SweepCell>& cells) const {
  const std::shared_ptr<const PreparedLog::Classes> classes = log.classify(combination.options);
  ReplayReport plain = log.replay(combination.options, *classes);
  const bool has_plain = std::any_of(combination.cells.begin(), combination.cells.end(), [&](std::size_t cell) {
    return options_.seeds[cells[cell].number % options_.seeds.size()] == 0;
  });
  if (has_plain && log.is_one_of_several(combination.options, plain)) {
    ReplayOptions own = combination.options;
    check_can_be_read_again(own, "the plan");
    own.threads = 1;  // others run beside it; the log is short
    plain = apf::replay(own);
  }
  const bool sweeps = clock_is_open(combination.options, plain);
  for (const std::size_t cell : combination.cells) {
    const std::size_t seed = cells[cell].number % options_.seeds.size();
    ReplayOptions own = of_seed(combination, seed, sweeps);
    if (interrupted()) return;
    cells[cell].replays.push_back(cell_replay(options_.seeds[seed] == 0 ? plain : log.replay(own, *classes)));
    if (!plain.undecided || interrupted()) continue;
    own.unknown_waits = UnknownWaits::recorded_ends;
    cells[cell].replays.push_back(cell_replay(log.replay(own, *classes)));
  }
}

// The same by reading the log for each of them: what happens in the handler, or in clients that wait, needs more of it
// than a prepared log keeps. One after the other, so that memory is that of one replay.
void LogRun::replay_reading(const Combination& combination, std::vector<SweepCell>& cells) const {
  const ReplayReport plain = apf::replay(combination.options);
  const bool sweeps = clock_is_open(combination.options, plain);
  for (const std::size_t at : combination.cells) {
    if (interrupted()) return;
    SweepCell& cell = cells[at];
    const std::size_t seed = cell.number % options_.seeds.size();
    std::optional<ReplayReport> other;
    if (options_.seeds[seed] != 0) other = apf::replay(of_seed(combination, seed, sweeps));
    const ReplayReport& report = other ? *other : plain;
    cell.log = about(log_.name, report);
    cell.replays.push_back(cell_replay(report));
    if (report.others.empty()) continue;
    cell.replays.push_back(cell_replay(report.others.front()));
    cell.clients_open = !report.undecided;
  }
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
    report.combinations.push_back({combination.configuration, combination.flags});
  report.seeds = options.seeds;
  report.logs = options.logs.size();
  report.replays = options.replays();
  return report;
}

}  // namespace apf
