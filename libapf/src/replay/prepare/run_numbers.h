// The run's own numbers and texts, where those of the workers that prepared the events meet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/interner.h"
#include "replay/prepare/flows.h"
#include "replay/prepare/prepared.h"

namespace apf {

// What the numbers in events mean.
struct NumberTables {
  std::vector<RecordedPlace> places;
  std::vector<std::vector<int>> lists;  // see PreparedEvent::list_seats
  std::vector<Requester> requesters;
  // With PrepareContext::keeps_names: requesters by their users alone, and which of these each of `requesters` is.
  std::vector<Requester> names;
  std::vector<std::uint32_t> name_of;
  std::vector<std::string> agents = {""};  // user agents; the first is none
  std::vector<Endpoint> endpoints;
};

// Workers number flows and the like on their own; here those numbers meet.
class GlobalNumbers {
 public:
  explicit GlobalNumbers(Flows& flows, bool several_lists) : flows_(flows), several_lists_(several_lists) {}

  void extend(const PreparedBatch& batch);
  // Whether extend() does anything.
  static bool has_new(const PreparedBatch& batch) {
    return !(batch.new_flows.empty() && batch.new_places.empty() && batch.new_lists.empty() &&
             batch.new_users.empty() && batch.new_agents.empty() && batch.new_endpoints.empty() &&
             batch.new_requesters.empty() && batch.new_names.empty());
  }
  // Puts the run's numbers into an event in place of the worker's.
  void adopt(PreparedEvent& event, std::uint32_t worker) const {
    const Worker& of = workers_[worker];
    event.flow = event.flow < of.flows.size() ? of.flows[event.flow] : 0;
    if (event.recorded != 0) event.recorded = 1 + of.places[event.recorded - 1];
    event.requester = event.requester < of.requesters.size() ? of.requesters[event.requester] : 0;
    if (event.endpoint != 0) event.endpoint = 1 + of.endpoints[event.endpoint - 1];
    event.agent = event.agent < of.agents.size() ? of.agents[event.agent] : 0;
    if (several_lists_ && event.seat_kind == SeatKind::list && !of.lists.empty())
      event.list_seats = static_cast<int>(of.lists[static_cast<std::size_t>(event.list_seats)]);
  }
  // The run's number of a worker's user.
  std::uint32_t user(std::uint32_t worker, std::uint32_t number) const { return workers_[worker].users[number]; }
  const NumberTables& tables() const { return tables_; }
  const std::string& user_text(std::uint32_t number) const { return users_[number]; }  // raw, as the log has it

 private:
  struct Worker {
    std::vector<FlowId> flows;
    std::vector<std::uint32_t> places, lists, users, requesters, names, agents, endpoints;
  };
  Flows& flows_;
  const bool several_lists_;
  std::vector<Worker> workers_;
  Interner place_names_, list_keys_, user_names_, requester_keys_, name_keys_, agent_keys_, endpoint_keys_;
  std::vector<std::string> users_;
  NumberTables tables_;
};

}  // namespace apf
