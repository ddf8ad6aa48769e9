#include "replay/passes/recording.h"

#include <utility>

#include "base/parallel.h"
#include "logs/tracks.h"
#include "replay/books/worst_case.h"
#include "replay/engine/central_run.h"
#include "replay/engine/run_options.h"
#include "replay/engine/unused_entries.h"
#include "replay/passes/replay_into.h"

namespace apf {

namespace {

bool can_be_prepared(const ReplayOptions& o) {
  const bool stages = o.event_rate_limit || o.limits_resources() || o.client_limits || o.in_flight;
  const bool clients = !o.client_models.empty() || o.client_models_by_log || !o.client_timeouts.empty() || o.retries;
  // Joined logs are moved by jitter as they are joined.
  return !stages && !clients && (o.logs.size() < 2 || !are_joined(sort_into_tracks(o)));
}

bool clients_react(const ReplayOptions& options) {
  return options.retries || !options.client_models.empty() || options.client_models_by_log;
}

}  // namespace

bool Recording::can_be_kept(const ReplayOptions& options) { return !options.recorded && !options.fill; }

bool Recording::is_for_report_alone(const ReplayOptions& o) {
  return o.decisions_path.empty() && o.timeline_path.empty() && o.dump_at.empty() && !o.metrics && !o.series;
}

Recording Recording::of_one_configuration(const ReplayOptions& options) {
  Recording out;
  out.replays_kept_ = !can_be_prepared(options);
  if (out.replays_kept_) out.kept_ = read_and_keep(options, KeptReading::Flow::of_configurations);
  else out.prepared_ = std::make_unique<const PreparedLog>(options);
  return out;
}

Recording Recording::of_any_configuration(const ReplayOptions& options, FlowBooks books) {
  check_options(options);
  Recording out;
  out.books_ = books;
  out.replays_kept_ = clients_react(options);
  ReplayOptions arrivals = options;
  if (out.replays_kept_) {
    out.kept_ = read_and_keep(options, KeptReading::Flow::of_shapes);
    arrivals.client_models.clear();
    arrivals.client_models_by_log = arrivals.retries = false;
  }
  out.prepared_ = std::make_unique<const PreparedLog>(arrivals, out.kept_.get());
  const bool is_short = out.prepared_->events().size() <= kShortLog;
  if (!out.kept_ && options.recorded && options.candidates > 0 && is_short && can_be_read_again(options))
    out.kept_ = read_and_keep(options, KeptReading::Flow::of_shapes);
  return out;
}

Recording::Classes Recording::classify(const ReplayOptions& options) const {
  if (replays_kept_) return {nullptr, kept_->classify(options, books_)};
  return {prepared_->classify(options, books_), nullptr};
}

ReplayReport Recording::replay(const ReplayOptions& options, const Classes& classes,
                               const PreparedLog::Decided& decided) const {
  if (!replays_kept_) return prepared_->replay(options, *classes.prepared, decided);
  ReplayOptions alone = options;
  alone.candidates = 0;
  return kept_->replay_alone(alone, classes.kept);
}

std::vector<ReplayReport> Recording::replay_all(const std::vector<ReplayOptions>& options) const {
  std::vector<ReplayReport> out(options.size());
  if (options.empty()) return out;
  const Classes classes = classify(options.front());
  run_tasks(options.size(), options.front().threads, [&](std::size_t i) {
    out[i] = replay(options[i], classes);
    keep_listed_flows(out[i]);
  });
  return out;
}

ReplayReport Recording::median_replay(const ReplayOptions& options) const {
  return kept_->replay_alone(options, kept_->classify(options, books_));
}

void Recording::name_unused_entries(const ReplayOptions& options, ReplayReport& report) const {
  if (replays_kept_) return;
  std::erase_if(report.warnings, is_of_unused_entry);  // of time-outs alone: no scale has been read
  for (Remark& remark : prepared_->unused_entries_of(options)) report.warnings.push_back(std::move(remark));
}

}  // namespace apf
