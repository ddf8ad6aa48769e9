#include "replay/books/traffic_book.h"

#include <algorithm>

namespace apf {

namespace {

const std::string& name_of(const Flows& flows, FlowId flow, std::size_t configuration) {
  const std::string* name = &flows.report(flows.choice(flow, configuration).report).distinguisher;
  for (std::size_t i = 0; i < flows.configurations() && name->empty(); ++i)
    name = &flows.report(flows.choice(flow, i).report).distinguisher;
  return *name;
}

}  // namespace

void TrafficBook::add(const LiveRequest& request, const RequestOutcome& request_outcome) {
  const PreparedEvent& event = request.event;
  if (event.filled) return;
  if (event.agent >= agents_.size()) agents_.resize(event.agent + 1);
  apf::add(agents_[event.agent], request_outcome);
  if (event.flow >= flows_.size()) flows_.resize(event.flow + 1);
  Flow& flow = flows_[event.flow];
  apf::add(flow.tally, request_outcome);
  if (request.attempt > 0) return;
  const std::size_t old_configuration = old_.changes.empty() ? old_.first : old_.at(request.arrival);
  const auto at = std::find_if(flow.places.begin(), flow.places.end(), [&](const Place& p) {
    return p.report == request.report && p.old_configuration == old_configuration;
  });
  if (at == flow.places.end()) flow.places.push_back({old_configuration, request.report, 1});
  else ++at->requests;
}

Subjects TrafficBook::subjects(const RunContext& context, const ReplayReport& report) const {
  using What = ComparedChange::What;
  Subjects out;
  merge(out[{What::level, ""}], report.total);
  for (const LevelReport& level : report.levels) merge(out[{What::level, level.name}], level.tally);
  for (const SchemaReport& schema : report.schemas) merge(out[{What::flow_schema, schema.name}], schema.tally);
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    if (flows_[i].tally.requests == 0) continue;
    const std::string& name = name_of(context.flows, static_cast<FlowId>(i), old_.first);
    if (!name.empty()) merge(out[{What::flow, name}], flows_[i].tally);
  }
  for (std::size_t i = 0; i < agents_.size() && i < context.numbers.agents.size(); ++i)
    if (!context.numbers.agents[i].empty() && agents_[i].requests > 0)
      merge(out[{What::user_agent, context.numbers.agents[i]}], agents_[i]);
  return out;
}

std::vector<MovedFlow> TrafficBook::moved(const RunContext& context) const {
  const Flows& flows = context.flows;
  std::vector<MovedFlow> out;
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    if (flows_[i].places.empty()) continue;
    const auto id = static_cast<FlowId>(i);
    for (const Place& place : flows_[i].places) {
      const FlowReport& from = flows.report(flows.choice(id, place.old_configuration).report);
      const FlowReport& to = flows.report(place.report);
      if (from.flow_schema == to.flow_schema && from.priority_level == to.priority_level) continue;
      out.push_back({from.flow_schema, from.priority_level, to.flow_schema, to.priority_level,
                     name_of(flows, id, place.old_configuration), place.requests});
    }
  }
  return out;
}

}  // namespace apf
