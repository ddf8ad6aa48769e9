#include "sweep/run.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <apf/error.h>

#include "replay/prepared_log.h"
#include "replay/spread.h"
#include "schedule/controller.h"

namespace apf {

namespace {

// The replays of one log.
class LogRun {
 public:
  LogRun(const SweepOptions& options, std::size_t number) : options_(options), log_(options.logs[number]) {}

  // `first` and `end`: numbers within the log. Empty: interrupted.
  std::vector<SweepCell> run(std::uint64_t first, std::uint64_t end);

 private:
  // What is read alike.
  using Reading = std::pair<KubeVersion, Nanos>;
  struct Combination {
    std::size_t number = 0;
    ReplayOptions options;
    std::vector<std::size_t> cells;  // in the result
    ReplayReport plain;              // without jitter
  };

  ReplayOptions options_of(std::size_t combination) const;
  void read(const ReplayOptions& options, std::vector<Combination>& combinations, std::vector<SweepCell>& cells);
  void replay(const PreparedLog& log, Combination& combination, std::vector<SweepCell>& cells) const;
  ReplayOptions of_seed(const Combination& combination, std::size_t seed) const;
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

std::vector<SweepCell> LogRun::run(std::uint64_t first, std::uint64_t end) {
  std::vector<SweepCell> cells(end - first);
  std::map<Reading, std::vector<Combination>> readings;
  const std::size_t seeds = options_.seeds.size();
  for (std::uint64_t number = first; number < end; ++number) {
    const auto combination = static_cast<std::size_t>(number / seeds);
    const ReplayOptions& of = options_.combinations[combination].replay;
    std::vector<Combination>& alike = readings[{of.version, of.request_timeout}];
    if (alike.empty() || alike.back().number != combination) {
      alike.emplace_back().number = combination;
      alike.back().options = options_of(combination);
    }
    cells[number - first].number = number;  // within the log, for now
    alike.back().cells.push_back(number - first);
  }
  for (auto& [reading, combinations] : readings) {
    ReplayOptions own = combinations.front().options;
    own.in_flight.reset();  // it is of the replay; the log is read for both
    read(own, combinations, cells);
    if (interrupted()) return {};
  }
  return cells;
}

void LogRun::read(const ReplayOptions& options, std::vector<Combination>& combinations, std::vector<SweepCell>& cells) {
  const PreparedLog log(options, options_.memory);
  if (interrupted()) return;
  CellLog about;
  about.name = log_.name;
  about.bytes = log.read().bytes;
  about.requests = log.read().requests;
  for (const auto& [reason, lines] : log.read().unusable) about.unusable += lines;
  run_tasks(combinations.size(), options_.threads, [&](std::size_t i) {
    if (interrupted()) return;
    replay(log, combinations[i], cells);
    for (const std::size_t cell : combinations[i].cells) cells[cell].log = about;
  });
}

// All seeds of one combination. What the log leaves open is found by the replay without jitter.
void LogRun::replay(const PreparedLog& log, Combination& combination, std::vector<SweepCell>& cells) const {
  const std::shared_ptr<const PreparedLog::Classes> classes = log.classify(combination.options);
  const ReplayReport plain = log.replay(combination.options, *classes);
  const bool sweeps = clock_is_open(combination.options, plain);
  for (const std::size_t cell : combination.cells) {
    const std::size_t seed = cells[cell].number % options_.seeds.size();
    ReplayOptions own = combination.options;
    if (options_.seeds[seed] != 0) {
      own.jitter = options_.jitter;
      own.jitter_seed = options_.seeds[seed];
      if (sweeps)  // the phases lie evenly in the 10 s
        own.clock_shift = kBorrowingPeriod * static_cast<Nanos>(seed) / static_cast<Nanos>(options_.seeds.size());
    }
    if (interrupted()) return;
    cells[cell].replays.push_back(cell_replay(options_.seeds[seed] == 0 ? plain : log.replay(own, *classes)));
    if (!plain.undecided || interrupted()) continue;
    own.unknown_waits = UnknownWaits::recorded_ends;
    cells[cell].replays.push_back(cell_replay(log.replay(own, *classes)));
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
