#include "replay/passes/one_reading.h"

#include <apf/output.h>

#include "logs/tracks.h"
#include "replay/books/worst_case.h"
#include "replay/passes/kept_reading.h"
#include "replay/passes/prepared_log.h"
#include "replay/passes/replay_into.h"

namespace apf {

namespace {

bool can_be_prepared(const ReplayOptions& o) {
  const bool stages = o.event_rate_limit || o.limits_resources() || o.client_limits || o.in_flight;
  const bool clients = !o.client_models.empty() || o.client_models_by_log || !o.client_timeouts.empty() || o.retries;
  // Joined logs are moved as they are joined.
  return !stages && !clients && (o.logs.size() < 2 || !are_joined(sort_into_tracks(o)));
}

}  // namespace

bool can_be_read_once(const ReplayOptions& options) { return !options.recorded && !options.fill; }

bool is_for_report_alone(const ReplayOptions& o) {
  return o.decisions_path.empty() && o.timeline_path.empty() && o.dump_at.empty() && !o.metrics && !o.series;
}

OneReading::OneReading(const ReplayOptions& options) {
  if (can_be_prepared(options)) {
    prepared_ = std::make_unique<const PreparedLog>(options);
    return;
  }
  kept_ = read_and_keep(options, KeptReading::Flow::of_configurations);
}

OneReading::~OneReading() = default;

ReplayReport OneReading::replay(const ReplayOptions& options) const {
  return prepared_ ? prepared_->replay(options) : kept_->replay_alone(options);
}

std::vector<ReplayReport> OneReading::replay_all(const std::vector<ReplayOptions>& options) const {
  std::vector<ReplayReport> out(options.size());
  const std::shared_ptr<const PreparedLog::Classes> classes =
      prepared_ ? prepared_->classify(options.front()) : nullptr;
  run_tasks(options.size(), options.front().threads, [&](std::size_t i) {
    out[i] = prepared_ ? prepared_->replay(options[i], *classes) : kept_->replay_alone(options[i]);
    keep_listed_flows(out[i]);
  });
  return out;
}

std::vector<ReplayReport> replay_all(const std::vector<ReplayOptions>& options, const OneReading* log) {
  if (log) return log->replay_all(options);
  std::vector<ReplayReport> out;
  for (const ReplayOptions& own : options) {
    OutputFile no_decisions(""), no_timeline("");
    out.push_back(replay_alone(own, no_decisions, no_timeline));
    keep_listed_flows(out.back());
    if (out.back().interrupted) break;
  }
  return out;
}

}  // namespace apf
