#include "replay/one_reading.h"

#include <apf/output.h>

#include "logs/tracks.h"
#include "replay/replay_into.h"
#include "replay/worst_case.h"

namespace apf {

namespace {

// The rest of the events goes to a temporary file: a replay does not take more memory for a longer log.
constexpr std::uint64_t kMemory = std::uint64_t{1} << 30;

}  // namespace

bool can_be_read_once(const ReplayOptions& o) {
  const bool stages = o.event_rate_limit || o.limits_resources() || o.client_limits || o.in_flight;
  const bool clients = !o.client_models.empty() || o.client_models_by_log || !o.client_timeouts.empty() || o.retries;
  if (o.recorded || o.fill || stages || clients) return false;
  // Joined logs are moved as they are joined.
  return o.logs.size() < 2 || !are_joined(sort_into_tracks(o));
}

bool is_for_report_alone(const ReplayOptions& o) {
  return o.decisions_path.empty() && o.timeline_path.empty() && o.dump_at.empty() && !o.metrics && !o.series;
}

std::unique_ptr<const PreparedLog> read_once(const ReplayOptions& options) {
  return std::make_unique<const PreparedLog>(options, kMemory);
}

std::vector<ReplayReport> replay_all(const std::vector<ReplayOptions>& options, const PreparedLog* log) {
  std::vector<ReplayReport> out(options.size());
  if (log) {
    const std::shared_ptr<const PreparedLog::Classes> classes = log->classify(options.front());
    run_tasks(options.size(), options.front().threads, [&](std::size_t i) {
      out[i] = log->replay(options[i], *classes);
      keep_listed_flows(out[i]);
    });
    return out;
  }
  for (std::size_t i = 0; i < options.size(); ++i) {
    OutputFile no_decisions(""), no_timeline("");
    out[i] = replay_alone(options[i], no_decisions, no_timeline);
    keep_listed_flows(out[i]);
    if (!out[i].interrupted) continue;
    out.resize(i + 1);
    break;
  }
  return out;
}

}  // namespace apf
