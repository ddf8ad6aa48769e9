#include "replay/traffic_book.h"

#include <algorithm>

namespace apf {

void TrafficBook::add(const LiveRequest& request, const Fate& fate) {
  const PreparedEvent& event = request.event;
  if (event.filled) return;
  if (event.agent >= agents_.size()) agents_.resize(event.agent + 1);
  apf::add(agents_[event.agent], fate);
  if (request.attempt > 0) return;
  if (event.flow >= by_flow_.size()) by_flow_.resize(event.flow + 1);
  auto& places = by_flow_[event.flow];
  const auto at = std::find_if(places.begin(), places.end(), [&](const auto& p) { return p.first == request.report; });
  if (at == places.end()) places.emplace_back(request.report, 1);
  else ++at->second;
}

Subjects TrafficBook::subjects(const RunContext& context, const ReplayReport& report) const {
  using What = ComparedChange::What;
  Subjects out;
  merge(out[{What::level, ""}], report.total);
  for (const LevelReport& level : report.levels) merge(out[{What::level, level.name}], level.tally);
  for (const SchemaReport& schema : report.schemas) merge(out[{What::flow_schema, schema.name}], schema.tally);
  for (const FlowReport& flow : context.flows.reports())
    if (!flow.distinguisher.empty() && !flow.filled && flow.tally.requests > 0)
      merge(out[{What::flow, flow.distinguisher}], flow.tally);
  for (std::size_t i = 0; i < agents_.size() && i < context.agents.size(); ++i)
    if (!context.agents[i].empty() && agents_[i].requests > 0)
      merge(out[{What::user_agent, context.agents[i]}], agents_[i]);
  return out;
}

std::vector<MovedFlow> TrafficBook::moved_from(const RunContext& context, std::size_t configuration) const {
  std::vector<MovedFlow> out;
  for (std::size_t flow = 0; flow < by_flow_.size(); ++flow) {
    if (by_flow_[flow].empty()) continue;
    const FlowReport& from =
        context.flows.report(context.flows.choice(static_cast<FlowId>(flow), configuration).report);
    for (const auto& [place, requests] : by_flow_[flow]) {
      const FlowReport& to = context.flows.report(place);
      if (from.flow_schema == to.flow_schema && from.priority_level == to.priority_level) continue;
      out.push_back(
          {from.flow_schema, from.priority_level, to.flow_schema, to.priority_level, from.distinguisher, requests});
    }
  }
  return out;
}

}  // namespace apf
