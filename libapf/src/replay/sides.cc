// Several servers from one reading: the first pass, which replays the recorded server and keeps the requests, then a
// schedule for each of the others.
#include "replay/sides.h"

#include <algorithm>
#include <span>

#include "replay/load_scaler.h"
#include "replay/run.h"
#include "replay/shaken_pass.h"
#include "replay/spread.h"

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

// Its changes are numbered after its first configuration. Requests that arrive with a change have it.
void Run::find_old_changes(const ReplayOptions& old_side) {
  auto& changes = old_configurations_.changes;
  for (const auto& [time, config] : old_side.config_changes) {
    const Nanos at = time.relative ? later(first_pass_.log().first_arrival(), time.value) : time.value;
    changes.emplace_back(at, old_configurations_.first + changes.size() + 1);
  }
  std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
}

std::vector<FlowReport> Run::flows_of_log() {
  std::vector<FlowReport> out;
  for (const FlowReport& flow : flows_.reports())
    if (!flow.filled) out.push_back(flow);
  return out;
}

// OLD where it is the recorded server: the first pass has replayed it.
SideReplay Run::recorded_side(const TrafficBook& traffic) {
  SideReplay out;
  engine_.fill(out.report);
  fill_books(out.report, *first_options_, books_);
  out.runs.push_back(traffic.subjects(run_context_, out.report));
  if (options_.all_flows) out.report.all_flows = flows_of_log();
  return out;
}

SideReplay Run::replay_side(const Side& side) {
  SideReplay out;
  if (clients_may_wait()) {
    TrafficBook traffic(old_configurations_);
    Pass pass = usual(side, {});
    pass.traffic = &traffic;
    schedule(out.report.others.emplace_back(), side, pass);
    out.others.push_back(traffic.subjects(run_context_, out.report.others.back()));
    out.report.others.back().all_flows = flows_.reports();
  }
  Books books;
  TrafficBook traffic(old_configurations_);
  Pass pass = usual(side, {.by_log = side.options.client_models_by_log});
  pass.books = &books;
  pass.traffic = &traffic;
  schedule(out.report, side, pass);
  fill_what_if(out.report, side.options);
  out.runs.push_back(traffic.subjects(run_context_, out.report));
  out.moved = traffic.moved(run_context_);
  if (options_.all_flows) out.report.all_flows = flows_of_log();
  return out;
}

void Run::replay_with_jitter(const Side& side, int times, SideReplay& out) {
  for (int run = 1; run <= times; ++run) {
    ReplayOptions options = side.options;
    vary(options, run, times, true);
    options.dump_at.clear();
    const auto replay = [&](bool by_log) {
      ReplayReport report;
      TrafficBook traffic(old_configurations_);
      schedule(report, {options, side.configuration},
               {.by_log = by_log,
                .arrival_jitter = options.jitter,
                .execution_jitter = options.jitter,
                .seed = options.jitter_seed,
                .traffic = &traffic});
      return traffic.subjects(run_context_, report);
    };
    if (!out.others.empty()) out.others.push_back(replay(false));
    out.runs.push_back(replay(options.client_models_by_log));
    if (is_interrupted()) return;
  }
}

SidesReplay Run::run_sides(const CompareOptions& comparison, SideFiles& files) {
  SidesReplay out;
  const bool old_is_recorded = others_.size() < comparison.new_sides.size();
  std::size_t number = 1;  // of the side: OLD comes first
  std::vector<Side> sides = {{options_, 0, &files.decisions(1), &files.timeline(1)}};
  std::size_t configuration = recorded_configuration() + 1 + options_.recorded->config_changes.size();
  for (const ReplayOptions& other : others_) {
    number = number < comparison.new_sides.size() ? number + 1 : 0;
    sides.push_back({other, configuration, &files.decisions(number), &files.timeline(number)});
    configuration += 1 + other.config_changes.size();
  }
  old_configurations_.first = old_is_recorded ? recorded_configuration() : sides.back().configuration;
  TrafficBook traffic(old_configurations_);
  if (old_is_recorded) observers_.count(traffic);
  first_pass();
  check_recorded_seats();
  Reader reader(tracks_, options_, [this] { return next_worker(); });
  read(reader);
  if (too_long_) return out;
  if (old_is_recorded) out.old_side = recorded_side(traffic);
  finish_first_pass();
  find_old_changes(comparison.old_side);
  for (const Side& side : sides) {
    const bool is_old = !old_is_recorded && &side == &sides.back();
    SideReplay replayed = replay_side(side);
    if (!is_interrupted()) replay_with_jitter(side, comparison.spread, replayed);
    if (is_old) out.old_side = std::move(replayed);
    else out.new_sides.push_back(std::move(replayed));
  }
  if (old_is_recorded && !is_interrupted())
    replay_with_jitter({comparison.old_side, recorded_configuration()}, comparison.spread, out.old_side);
  const auto finish = [&](ReplayReport& report) {
    reader.fill(report);
    fill_reading(report);
    report.interrupted = report.interrupted || is_interrupted();
  };
  finish(out.old_side.report);
  for (SideReplay& side : out.new_sides) finish(side.report);
  return out;
}

SidesReplay replay_sides(const CompareOptions& options, SideFiles& files) {
  const ReplayOptions& old_side = options.old_side;
  if (!old_side.scales.empty()) check_can_be_scaled(old_side);
  check_releases(old_side);
  for (const ReplayOptions& side : options.new_sides) check_releases(side);
  const bool old_is_recorded = !old_side.recorded && nothing_but_the_server_decides(old_side);
  RecordedConfig recorded;
  if (old_side.recorded) {
    recorded = *old_side.recorded;
  } else {
    recorded.config = old_side.config;
    recorded.version = old_side.version;
    recorded.config_changes = old_side.config_changes;
    if (!old_side.seats_by_log) recorded.server_concurrency_limit = old_side.server_concurrency_limit;
  }
  std::vector<ReplayOptions> sides = options.new_sides;
  if (!old_is_recorded) sides.push_back(old_side);
  for (ReplayOptions& side : sides) {
    side.recorded = recorded;
    side.logs = old_side.logs;
    side.fill = old_side.fill;
    side.decision_fields = old_side.decision_fields;  // what is kept of a request is kept for all
  }
  const OtherSides other_sides{std::span(sides).subspan(1), old_side.server_concurrency_limit,
                               old_is_recorded ? &old_side : nullptr};
  OutputFile nowhere("");
  OutputFile& decisions = old_is_recorded ? files.decisions(0) : nowhere;
  OutputFile& timeline = old_is_recorded ? files.timeline(0) : nowhere;
  Nanos longest = 0;
  {
    Run run(sides.front(), decisions, timeline, other_sides);
    SidesReplay out = run.run_sides(options, files);
    if (!run.has_too_long()) return out;
    longest = run.longest();
  }
  decisions.begin_again();
  timeline.begin_again();
  return Run(sides.front(), decisions, timeline, other_sides, nullptr, longest + Run::kJoinMargin)
      .run_sides(options, files);
}

}  // namespace apf
