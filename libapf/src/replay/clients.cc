#include "replay/clients.h"

#include <algorithm>

namespace apf {

namespace {

// More clients than that are not told apart any more: the table is begun anew.
constexpr std::size_t kMostClients = 1u << 18;

bool same_name(const std::string& logged, const std::string& name) {
  return logged == name || (logged.size() == 64 && name.starts_with(logged));
}

}  // namespace

Clients::Clients(const PrepareContext& context, GlobalNumbers& numbers, const Flows& flows, std::uint32_t worker)
    : numbers_(numbers), flows_(flows), no_source_({}, LogFormat::audit), preparer_(context, no_source_, worker) {}

void Clients::see(const PreparedEvent& event) {
  if (event.user == 0 || event.client == 0) return;
  if (clients_.size() >= kMostClients && !clients_.contains(event.client)) clients_.clear();
  auto& users = clients_[event.client].users;
  if (users[0] == event.user) return;
  // To the front; who was there before moves back.
  auto* const end = std::find(users, users + kKept - 1, event.user);
  std::move_backward(users, end, end + 1);
  users[0] = event.user;
}

PreparedEvent Clients::classify(const std::string& request, const std::string& user_json) {
  LogEvent event;
  event.http = true;
  const std::size_t space = request.find(' ');
  event.method = std::string_view(request).substr(0, space);
  event.uri = std::string_view(request).substr(space + 1);
  event.user_json = user_json;
  event.received = event.stage_time = 0;
  preparer_.make_one(event, batch_);
  numbers_.extend(batch_);
  if (batch_.events.empty()) return {};
  PreparedEvent out = batch_.events.front();
  numbers_.adopt(out, batch_.worker);
  return out;
}

bool Clients::find(PreparedEvent& event, const std::string& request) {
  const auto it = clients_.find(event.client);
  if (it == clients_.end() || event.left_out != LeftOut::no) return false;
  PreparedEvent best;
  bool has_best = false;
  for (const std::uint32_t user : it->second.users) {
    if (user == 0) break;
    const PreparedEvent candidate = classify(request, numbers_.user(user - 1));
    if (event.recorded == 0) {
      best = candidate;
      has_best = true;
      break;
    }
    const Flows::Choice& choice = flows_.choice(candidate.flow, 0);
    const FlowReport& flow = flows_.report(choice.report);
    const RecordedPlace& place = numbers_.places()[event.recorded - 1];
    const bool agrees = same_name(place.flow_schema, flow.flow_schema) && same_name(place.priority_level, flow.priority_level);
    if (!has_best || agrees) {
      best = candidate;
      has_best = true;
    }
    if (agrees) break;
  }
  if (!has_best) return false;
  event.flow = best.flow;
  event.masters = best.masters;
  event.fixed_flow = false;
  ++found_;
  return true;
}

}  // namespace apf
