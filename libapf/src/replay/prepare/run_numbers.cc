#include "replay/prepare/run_numbers.h"

#include <algorithm>

namespace apf {

namespace {

// User agents beyond that many are one: a log may name a new one with each request.
constexpr std::uint32_t kMostAgents = 10'000;
constexpr const char* kOtherAgents = "(other user agents)";

}  // namespace

void GlobalNumbers::extend(const PreparedBatch& batch) {
  if (workers_.size() <= batch.worker) workers_.resize(batch.worker + 1);
  Worker& of = workers_[batch.worker];
  for (const FlowDefinition& flow : batch.new_flows) of.flows.push_back(flows_.add(flow));
  for (const RecordedPlace& place : batch.new_places) {
    const std::uint32_t number = place_names_.id(place.flow_schema + '\0' + place.priority_level);
    if (number == tables_.places.size()) tables_.places.push_back(place);
    of.places.push_back(number);
  }
  for (const std::vector<int>& list : batch.new_lists) {
    const std::uint32_t number = list_keys_.id({reinterpret_cast<const char*>(list.data()), list.size() * sizeof(int)});
    if (number == tables_.lists.size()) tables_.lists.push_back(list);
    of.lists.push_back(number);
  }
  for (const std::string& user : batch.new_users) {
    const std::uint32_t number = user_names_.id(user);
    if (number == users_.size()) users_.push_back(user);
    of.users.push_back(number);
  }
  for (const std::string& agent : batch.new_agents) {
    const std::uint32_t number = agent.empty() ? 0 : std::min(1 + agent_keys_.id(agent), kMostAgents);
    if (number == tables_.agents.size()) tables_.agents.push_back(number == kMostAgents ? kOtherAgents : agent);
    of.agents.push_back(number);
  }
  for (const Endpoint& endpoint : batch.new_endpoints) {
    std::string key;
    for (const std::string* label : {&endpoint.verb, &endpoint.group, &endpoint.version, &endpoint.resource,
                                     &endpoint.subresource, &endpoint.scope})
      key += *label + '\0';
    const std::uint32_t number = endpoint_keys_.id(key);
    if (number == tables_.endpoints.size()) tables_.endpoints.push_back(endpoint);
    of.endpoints.push_back(number);
  }
  for (const Requester& name : batch.new_names) {
    const std::uint32_t number = name_keys_.id(name.user);
    if (number == tables_.names.size()) tables_.names.push_back(name);
    of.names.push_back(number);
  }
  for (std::size_t i = 0; i < batch.new_requesters.size(); ++i) {
    const Requester& requester = batch.new_requesters[i];
    const std::uint32_t number = requester_keys_.id(requester.user + '\0' + requester.user_agent);
    of.requesters.push_back(number);
    if (number < tables_.requesters.size()) continue;
    tables_.requesters.push_back(requester);
    if (!batch.names_of_new_requesters.empty()) tables_.name_of.push_back(of.names[batch.names_of_new_requesters[i]]);
  }
}

}  // namespace apf
