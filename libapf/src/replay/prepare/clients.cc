#include "replay/prepare/clients.h"

#include <algorithm>
#include <optional>

namespace apf {

namespace {

// More clients than that are not distinguished any more: the table is emptied.
constexpr std::size_t kMostClients = 1u << 18;

bool same_name(const std::string& logged, const std::string& name) {
  return logged == name || (logged.size() == 64 && name.starts_with(logged));
}

}  // namespace

Clients::Clients(const PrepareContext& context, GlobalNumbers& numbers, const Flows& flows, std::uint32_t worker)
    : numbers_(numbers), flows_(flows), tells_clients_(context.tells_clients), preparer_(context, worker) {}

void Clients::see(const Sender& sender, std::uint32_t worker) {
  if (sender.user == 0) return;
  const std::uint32_t user = 1 + numbers_.user(worker, sender.user - 1);
  if (clients_.size() >= kMostClients && !clients_.contains(sender.client)) clients_.clear();
  auto& users = clients_[sender.client].users;
  if (users[0] == user) return;
  // To the front; who was there before moves back.
  auto* const end = std::find(users, users + kKept - 1, user);
  std::move_backward(users, end, end + 1);
  users[0] = user;
}

PreparedEvent Clients::classify(const std::string& request, const std::string& user_json,
                                const std::string& user_agent) {
  LogEvent event;
  event.http = true;
  const std::size_t space = request.find(' ');
  event.method = std::string_view(request).substr(0, space);
  event.uri = std::string_view(request).substr(space + 1);
  event.user_json = user_json;
  event.user_agent = user_agent;
  event.received = event.stage_time = 0;
  preparer_.make_one(event, batch_);
  numbers_.extend(batch_);
  if (batch_.events.empty()) return {};
  PreparedEvent out = batch_.events[0].event;
  numbers_.adopt(out, batch_.worker);
  return out;
}

bool Clients::goes_as_logged(const PreparedEvent& event, std::uint32_t place) const {
  const FlowReport& flow = flows_.report(flows_.choice(event.flow, 0).report);
  const RecordedPlace& logged = numbers_.tables().places[place];
  return same_name(logged.flow_schema, flow.flow_schema) && same_name(logged.priority_level, flow.priority_level);
}

void Clients::observe(const PreparedEvent& event) {
  if (event.recorded == 0 || event.fixed_flow || event.left_out != LeftOut::no) return;
  ++observed_;
  as_logged_ += goes_as_logged(event, event.recorded - 1) ? 1 : 0;
}

bool Clients::find(PreparedEvent& event, const Sender& sender) {
  const auto it = clients_.find(sender.client);
  if (it == clients_.end() || event.left_out != LeftOut::no) return false;
  std::optional<PreparedEvent> last, fitting;
  const std::string agent = tells_clients_ ? numbers_.tables().requesters[event.requester].user_agent : std::string();
  for (const std::uint32_t user : it->second.users) {
    if (user == 0 || fitting) break;
    const PreparedEvent candidate = classify(sender.request, numbers_.user_text(user - 1), agent);
    if (!last) last = candidate;
    if (event.recorded == 0 || goes_as_logged(candidate, event.recorded - 1)) fitting = candidate;
  }
  const bool as_recorded = as_logged_ >= observed_ - observed_ / 100;  // nearly all whose users are known
  if (!fitting && !as_recorded) fitting = last;
  if (!fitting) return false;
  event.flow = fitting->flow;
  event.masters = fitting->masters;
  event.requester = fitting->requester;
  event.fixed_flow = false;
  ++found_;
  return true;
}

}  // namespace apf
