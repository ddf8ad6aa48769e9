// Several servers from one reading: the first pass, which replays the recorded server and keeps the requests, then a
// schedule for each of the others.
#include "replay/passes/sides.h"

#include <algorithm>
#include <optional>
#include <span>

#include "base/parallel.h"
#include "base/sort_stably.h"
#include "replay/books/worst_case.h"
#include "replay/engine/load_scaler.h"
#include "replay/passes/ensemble.h"
#include "replay/passes/run.h"

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
  SideReplay replay(const Side& side) const;
  // The further replays of all sides.
  void add_others(const std::vector<Side>& sides, int spread, std::vector<SideReplay>& replayed) const;
  bool is_interrupted() const { return apf::is_interrupted(options_); }

 private:
  bool knows_phase() const { return run_.engine().start().known != EngineStart::Known::guessed; }

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

SideReplay Comparison::replay(const Side& side) const {
  SideReplay out;
  if (passes_.clients_may_wait()) {
    ReplayOptions options = side.options;
    options.top = kMostListed;
    Pass pass = passes_.median_pass(side, {});
    pass.compared_with = &old_;
    SecondPasses::Result other = passes_.schedule({options, side.configuration}, pass);
    passes_.fill(other.report, options);
    out.others.push_back(std::move(other.subjects));
    out.report.others.push_back(std::move(other.report));
  }
  Pass pass = passes_.median_pass(side, {.by_log = side.options.client_models_by_log});
  pass.writes = true;
  pass.compared_with = &old_;
  SecondPasses::Result result = passes_.schedule(side, pass);
  result.report.others = std::move(out.report.others);
  out.report = std::move(result.report);
  passes_.fill(out.report, side.options);
  out.runs.push_back(std::move(result.subjects));
  out.moved = std::move(result.moved);
  finish_lists(out.report, side.options.top, side.options.all_flows);
  return out;
}

void Comparison::add_others(const std::vector<Side>& sides, int spread, std::vector<SideReplay>& replayed) const {
  std::vector<SecondPasses::Further> further;
  std::vector<std::vector<Subjects>*> places;
  const auto add = [&](std::size_t side, int number, bool sweeps, bool by_log, std::vector<Subjects>& place) {
    further.push_back({&sides[side], number, spread, sweeps, by_log});
    places.push_back(&place);
  };
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const bool by_log = sides[i].options.client_models_by_log;
    for (int number = 1; number <= spread; ++number) {
      if (!replayed[i].others.empty()) add(i, number, true, false, replayed[i].others);
      add(i, number, true, by_log, replayed[i].runs);
      if (knows_phase()) add(i, number, false, by_log, replayed[i].same_phase);
    }
  }
  std::vector<SecondPasses::Result> results = passes_.schedule_all(further, &old_);
  for (std::size_t i = 0; i < results.size(); ++i) places[i]->push_back(std::move(results[i].subjects));
}

// All are replayed a second time, OLD even where it is the recorded server: then each side comes to what replay() gives
// for it. OLD comes last.
SidesReplay run_sides(Run& run, const CompareOptions& comparison, const std::vector<Side>& sides,
                      OldConfigurations& old) {
  SidesReplay out;
  if (!run.read()) return out;
  Comparison servers(sides.front().options, run, old);
  servers.begin(comparison.old_side);
  std::vector<SideReplay> replayed(sides.size());
  run_tasks(sides.size(), sides.front().options.threads,
            [&](std::size_t i) { replayed[i] = servers.replay(sides[i]); });
  servers.add_others(sides, comparison.spread, replayed);
  if (!comparison.old_side.recorded) replayed.back().report.what_if.reset();  // it is the server of the log
  for (SideReplay& side : replayed) {
    run.reader().fill(side.report);
    side.report.interrupted = side.report.interrupted || servers.is_interrupted();
  }
  out.old_side = std::move(replayed.back());
  replayed.pop_back();
  out.new_sides = std::move(replayed);
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
  const int threads_each = std::max(1, thread_count(old_side.threads) / static_cast<int>(sides.size()));
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const std::size_t number = i < options.new_sides.size() ? i + 1 : 0;  // of the files: OLD comes first
    schedules.push_back(
        {sides[i], i == 0 ? 0 : configuration, &files.decisions(number), &files.timeline(number), threads_each});
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
