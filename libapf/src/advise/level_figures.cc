#include "advise/level_figures.h"

#include <tuple>

namespace apf {

LevelFigures figures_of_level(const ReplayReport& report, const std::string& name) {
  for (const LevelReport& level : report.levels) {
    if (level.name != name) continue;
    const DurationDistribution& wait = level.tally.wait;
    const double waited = wait.mean() * static_cast<double>(wait.count()) / static_cast<double>(kSecond);
    const Nanos span = report.last_arrival.value_or(0) - report.first_arrival.value_or(0);
    return {level.tally.requests,
            level.tally.rejected(),
            level.tally.outcomes[Outcome::queue_full],
            wait.quantile(0.99),
            wait.max(),
            level.waiting_seconds > 0 ? waited / level.waiting_seconds : 0,
            span > 0 ? level.waiting_seconds * static_cast<double>(kSecond) / static_cast<double>(span) : 0};
  }
  return {};
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
