// Several servers from one reading: the first pass, which replays the recorded server and keeps the requests, then a
// schedule for each of the others.
#include "replay/sides.h"

#include <span>

#include "replay/load_scaler.h"
#include "replay/run.h"
#include "replay/shaken_pass.h"
#include "replay/spread.h"

namespace apf {

// OLD where it is the recorded server: the first pass has replayed it.
SideReplay Run::recorded_side(SeriesBook& series, const TrafficBook& traffic) {
  SideReplay out;
  engine_.fill(out.report);
  if (options_.series) out.report.series = series.series();
  out.runs.push_back(traffic.subjects(run_context_, out.report, old_configuration_));
  if (options_.all_flows) out.report.all_flows = flows_.reports();
  return out;
}

SideReplay Run::replay_side(const Side& side) {
  SideReplay out;
  if (clients_may_wait()) {
    TrafficBook traffic;
    Pass pass = usual(side, {});
    pass.traffic = &traffic;
    schedule(out.report.others.emplace_back(), side, pass);
    out.others.push_back(traffic.subjects(run_context_, out.report.others.back(), old_configuration_));
    out.report.others.back().all_flows = flows_.reports();
  }
  SeriesBook series;
  TrafficBook traffic;
  const bool wants_series = side.options.series && !side.options.in_flight;
  Pass pass = usual(side, {.by_log = side.options.client_models_by_log});
  pass.series = wants_series ? &series : nullptr;
  pass.traffic = &traffic;
  schedule(out.report, side, pass);
  fill_what_if(out.report, side.options);
  out.runs.push_back(traffic.subjects(run_context_, out.report, old_configuration_));
  out.moved = traffic.moved_from(run_context_, old_configuration_);
  if (options_.all_flows) out.report.all_flows = flows_.reports();
  return out;
}

void Run::replay_with_jitter(const Side& side, int times, SideReplay& out) {
  for (int run = 1; run <= times; ++run) {
    ReplayOptions options = side.options;
    vary(options, run, times, true);
    const auto replay = [&](bool by_log) {
      ReplayReport report;
      TrafficBook traffic;
      schedule(report, {options, side.configuration},
               {.by_log = by_log,
                .arrival_jitter = options.jitter,
                .execution_jitter = options.jitter,
                .seed = options.jitter_seed,
                .traffic = &traffic});
      return traffic.subjects(run_context_, report, old_configuration_);
    };
    if (!out.others.empty()) out.others.push_back(replay(false));
    out.runs.push_back(replay(options.client_models_by_log));
    if (is_interrupted()) return;
  }
}

SidesReplay Run::run_sides(const CompareOptions& comparison) {
  SidesReplay out;
  const bool old_is_recorded = others_.size() < comparison.new_sides.size();
  std::vector<Side> sides = {{options_}};
  std::size_t configuration = recorded_configuration() + 1;
  for (const ReplayOptions& other : others_) {
    sides.push_back({other, configuration});
    configuration += 1 + other.config_changes.size();
  }
  old_configuration_ = old_is_recorded ? recorded_configuration() : sides.back().configuration;
  SeriesBook series;
  TrafficBook traffic;
  if (old_is_recorded && options_.series) observers_.add(series);
  if (old_is_recorded) observers_.count(traffic);
  first_pass();
  check_recorded_seats();
  Reader reader(tracks_, options_, [this] { return next_worker(); });
  read(reader);
  if (too_long_) return out;
  if (old_is_recorded) out.old_side = recorded_side(series, traffic);
  finish_first_pass();
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

namespace {

// Nothing but the server decides: the first pass is a whole replay of it.
bool is_plain(const ReplayOptions& options) {
  return options.config_changes.empty() && options.scales.empty() && !options.retries && !options.client_limits &&
         !options.in_flight && !options.event_rate_limit && !options.limits_resources() &&
         options.client_timeouts.empty() && options.client_models.empty() && !options.client_models_by_log;
}

}  // namespace

SidesReplay replay_sides(const CompareOptions& options) {
  const ReplayOptions& old_side = options.old_side;
  if (!old_side.scales.empty()) check_can_be_scaled(old_side);
  check_releases(old_side);
  for (const ReplayOptions& side : options.new_sides) check_releases(side);
  const bool old_is_recorded = !old_side.recorded && is_plain(old_side);
  RecordedConfig recorded;
  if (old_side.recorded) {
    recorded = *old_side.recorded;
  } else {
    recorded.config = old_side.config;
    recorded.version = old_side.version;
    if (!old_side.seats_by_log) recorded.server_concurrency_limit = old_side.server_concurrency_limit;
  }
  std::vector<ReplayOptions> sides = options.new_sides;
  if (!old_is_recorded) sides.push_back(old_side);
  for (ReplayOptions& side : sides) {
    side.recorded = recorded;
    side.logs = old_side.logs;
    side.fill = old_side.fill;
  }
  OutputFile nothing(""), nowhere("");
  const std::span<const ReplayOptions> others = std::span(sides).subspan(1);
  const int recorded_seats = old_side.server_concurrency_limit;
  Nanos longest = 0;
  {
    Run run(sides.front(), nothing, nowhere, others, recorded_seats);
    SidesReplay out = run.run_sides(options);
    if (!run.has_too_long()) return out;
    longest = run.longest();
  }
  return Run(sides.front(), nothing, nowhere, others, recorded_seats, nullptr, longest + Run::kJoinMargin)
      .run_sides(options);
}

}  // namespace apf
