#include "advise/level_figures.h"

#include <algorithm>
#include <tuple>

namespace apf {

namespace {

std::uint64_t refused_by_server(const RequestTally& tally) {
  return tally.rejected() - tally.outcomes[Outcome::gave_up];
}

}  // namespace

LevelFigures figures_of_level(const ReplayReport& report, const std::string& name) {
  for (const LevelReport& level : report.levels) {
    if (level.name != name) continue;
    const DurationDistribution& wait = level.tally.wait;
    const double waited = wait.sum() / static_cast<double>(kSecond);
    const Nanos span = report.last_arrival.value_or(0) - report.first_arrival.value_or(0);
    return {level.tally.requests,
            refused_by_server(level.tally),
            level.tally.outcomes[Outcome::queue_full],
            level.tally.outcomes[Outcome::gave_up],
            wait.quantile(0.99),
            wait.max(),
            level.waiting_seconds > 0 ? waited / level.waiting_seconds : 0,
            span > 0 ? level.waiting_seconds * static_cast<double>(kSecond) / static_cast<double>(span) : 0};
  }
  return {};
}

bool will_refuse(const std::vector<FlowReport>& so_far, const std::string& level) {
  return std::any_of(so_far.begin(), so_far.end(), [&](const FlowReport& flow) {
    return flow.priority_level == level && refused_by_server(flow.tally) > 0;
  });
}

// Distributions count to within 1.6 %.
bool will_wait(const std::vector<FlowReport>& so_far, const std::string& level, std::uint64_t requests, Nanos bound) {
  std::uint64_t above = 0;
  for (const FlowReport& flow : so_far)
    if (flow.priority_level == level)
      above += flow.tally.wait.count() - flow.tally.wait.count_up_to(bound + bound / 20);
  return above > requests / 100 + 1;
}

WorstFlow worst_flow_of(const ReplayReport& report, const std::string& level) {
  const FlowReport* worst = nullptr;
  const auto key = [](const FlowReport& flow) {
    return std::tuple(flow.tally.rejected(), flow.tally.wait.quantile(0.99), flow.tally.requests);
  };
  for (const FlowReport& flow : report.all_flows) {
    if (flow.priority_level != level) continue;
    const bool suffers = flow.tally.rejected() > 0 || flow.tally.queued > 0;
    if (suffers && (!worst || key(flow) > key(*worst))) worst = &flow;
  }
  return worst ? WorstFlow{worst->flow_schema, worst->distinguisher} : WorstFlow{};
}

}  // namespace apf
