// Several servers from one reading: the first pass, which replays the recorded server and keeps the requests, then a
// schedule for each of the others.
#include "replay/passes/sides.h"

#include <optional>
#include <span>

#include "base/sort_stably.h"
#include "replay/books/traffic_book.h"
#include "replay/books/worst_case.h"
#include "replay/engine/load_scaler.h"
#include "replay/passes/run.h"
#include "replay/passes/spread.h"

namespace apf {

SideFiles::SideFiles(const CompareOptions& options) {
  const auto open = [&](const ReplayOptions& side) {
    decisions_.emplace_back(side.decisions_path);
    timelines_.emplace_back(side.timeline_path);
  };
  open(options.old_side);
  for (const ReplayOptions& side : options.new_sides) open(side);
}

SideFiles SideFiles::scratch() const {
  SideFiles out;
  for (const OutputFile& file : decisions_) out.decisions_.push_back(OutputFile::scratch_for(file));
  for (const OutputFile& file : timelines_) out.timelines_.push_back(OutputFile::scratch_for(file));
  return out;
}

void SideFiles::append(SideFiles& scratch) {
  for (std::size_t i = 0; i < decisions_.size(); ++i) decisions_[i].append(scratch.decisions_[i]);
  for (std::size_t i = 0; i < timelines_.size(); ++i) timelines_[i].append(scratch.timelines_[i]);
}

void SideFiles::commit() {
  for (OutputFile& file : decisions_) file.commit();
  for (OutputFile& file : timelines_) file.commit();
}

namespace {

using Side = SecondPasses::Side;
using Pass = SecondPasses::Pass;

// The servers of a comparison, once the run has read the logs and replayed the recorded one.
class Comparison {
 public:
  // `options`: of the run, the first NEW.
  Comparison(const ReplayOptions& options, Run& run, OldConfigurations& old)
      : options_(options), run_(run), passes_(run.second_passes()), old_(old) {}

  void begin(const ReplayOptions& old_side);
  SideReplay replay(const Side& side);
  void replay_with_jitter(const Side& side, int times, bool in_same_phase, SideReplay& out);
  bool knows_phase() const { return run_.engine().start().known != EngineStart::Known::guessed; }

  bool is_interrupted() const { return apf::is_interrupted(options_); }

 private:
  const ReplayOptions& options_;
  Run& run_;
  SecondPasses& passes_;
  OldConfigurations& old_;
};

// OLD's changes are numbered after its first configuration. Requests that arrive with a change have it.
void Comparison::begin(const ReplayOptions& old_side) {
  passes_.begin(run_.context(), run_.engine());
  for (const auto& [time, config] : old_side.config_changes) {
    const Nanos at = time.relative ? later(passes_.first_pass().log().first_arrival(), time.value) : time.value;
    old_.changes.emplace_back(at, old_.first + old_.changes.size() + 1);
  }
  sort_stably(old_.changes, [](const auto& a, const auto& b) { return a.first < b.first; });
}

SideReplay Comparison::replay(const Side& side) {
  SideReplay out;
  if (passes_.clients_may_wait()) {
    ReplayOptions options = side.options;
    options.top = kMostListed;
    TrafficBook traffic(old_);
    Pass pass = passes_.median_pass(side, {});
    pass.traffic = &traffic;
    passes_.schedule(out.report.others.emplace_back(), {options, side.configuration}, pass);
    out.others.push_back(traffic.subjects(run_.context(), out.report.others.back()));
    passes_.fill(out.report.others.back(), options);
    out.report.others.back().all_flows = passes_.flows_of_pass();
  }
  TrafficBook traffic(old_);
  Pass pass = passes_.median_pass(side, {.by_log = side.options.client_models_by_log});
  pass.writes = true;
  pass.traffic = &traffic;
  passes_.schedule(out.report, side, pass);
  passes_.fill(out.report, side.options);
  out.runs.push_back(traffic.subjects(run_.context(), out.report));
  out.moved = traffic.moved(run_.context());
  out.report.all_flows = passes_.flows_of_pass();
  finish_lists(out.report, side.options.top, side.options.all_flows);
  return out;
}

void Comparison::replay_with_jitter(const Side& side, int times, bool in_same_phase, SideReplay& out) {
  for (int run = 1; run <= times && !is_interrupted(); ++run) {
    ReplayOptions options = side.options;
    vary(options, run, times, !in_same_phase);
    options.dump_at.clear();
    const auto replay = [&](bool by_log) {
      ReplayReport report;
      TrafficBook traffic(old_);
      passes_.schedule(report, {options, side.configuration},
                       {.by_log = by_log,
                        .arrival_jitter = options.jitter,
                        .execution_jitter = options.jitter,
                        .seed = options.jitter_seed,
                        .traffic = &traffic});
      return traffic.subjects(run_.context(), report);
    };
    if (in_same_phase) {
      out.same_phase.push_back(replay(options.client_models_by_log));
      continue;
    }
    if (!out.others.empty()) out.others.push_back(replay(false));
    out.runs.push_back(replay(options.client_models_by_log));
  }
}

// All are replayed a second time, OLD even where it is the recorded server: then each side comes to what replay() gives
// for it. OLD comes last.
SidesReplay run_sides(Run& run, const CompareOptions& comparison, const std::vector<Side>& sides,
                      OldConfigurations& old) {
  SidesReplay out;
  if (!run.read()) return out;
  Comparison servers(sides.front().options, run, old);
  servers.begin(comparison.old_side);
  for (const Side& side : sides) {
    SideReplay replayed = servers.replay(side);
    servers.replay_with_jitter(side, comparison.spread, false, replayed);
    if (servers.knows_phase()) servers.replay_with_jitter(side, comparison.spread, true, replayed);
    if (&side == &sides.back()) out.old_side = std::move(replayed);
    else out.new_sides.push_back(std::move(replayed));
  }
  if (!comparison.old_side.recorded) out.old_side.report.what_if.reset();  // it is the server of the log
  const auto finish = [&](ReplayReport& report) {
    run.reader().fill(report);
    report.interrupted = report.interrupted || servers.is_interrupted();
  };
  finish(out.old_side.report);
  for (SideReplay& side : out.new_sides) finish(side.report);
  return out;
}

}  // namespace

SidesReplay replay_sides(const CompareOptions& options, SideFiles& files) {
  const ReplayOptions& old_side = options.old_side;
  if (!old_side.scales.empty()) check_can_be_scaled(old_side);
  check_releases(old_side);
  for (const ReplayOptions& side : options.new_sides) check_releases(side);
  RecordedConfig recorded;
  if (old_side.recorded) {
    recorded = *old_side.recorded;
  } else {
    recorded.config = old_side.config;
    recorded.version = old_side.version;
    recorded.config_changes = old_side.config_changes;
    if (!old_side.seats_by_log) recorded.server_concurrency_limit = old_side.server_concurrency_limit;
  }
  recorded.seats_unless_logged = old_side.server_concurrency_limit;
  std::vector<ReplayOptions> sides = options.new_sides;
  sides.push_back(old_side);
  for (ReplayOptions& side : sides) {
    side.recorded = recorded;
    side.logs = old_side.logs;
    side.fill = old_side.fill;
    side.decision_fields = old_side.decision_fields;  // what is kept of a request is kept for all
  }
  const OtherSides other_sides{std::span(sides).subspan(1)};
  std::vector<Side> schedules;
  std::size_t configuration = recorded_configuration(sides.front()) + 1 + recorded.config_changes.size();
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const std::size_t number = i < options.new_sides.size() ? i + 1 : 0;  // of the files: OLD comes first
    schedules.push_back({sides[i], i == 0 ? 0 : configuration, &files.decisions(number), &files.timeline(number)});
    if (i > 0) configuration += 1 + sides[i].config_changes.size();
  }
  OutputFile nowhere("");
  OldConfigurations old;
  return run_with_window(
      [&](Nanos window) {
        old = {schedules.back().configuration, {}};
        return Run(sides.front(), nowhere, nowhere, window, nullptr, other_sides);
      },
      [&](Run& run) { return run_sides(run, options, schedules, old); }, [] {});
}

}  // namespace apf
