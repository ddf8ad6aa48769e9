#include "replay/prepare/users.h"

#include <algorithm>

#include "logs/formats/audit.h"
#include "replay/prepare/context.h"

namespace apf {

namespace {

// Raw texts of users may differ from request to request (token ids in `extra`): the table is emptied at this size.
constexpr std::size_t kMostUserTexts = 1u << 16;

}  // namespace

const KnownUser& LocalUsers::find(std::string_view user_json, PreparedBatch& batch) {
  if (user_texts_.size() >= kMostUserTexts) {
    user_texts_ = Interner();
    user_by_text_.clear();
  }
  const std::uint32_t text = user_texts_.id(user_json);
  if (text < user_by_text_.size()) return *users_[user_by_text_[text]];
  User user = parse_user_json(user_json);
  key_ = user.name;
  for (const std::string& group : user.groups) key_.append(1, '\0').append(group);
  const auto [it, is_new] = users_by_identity_.emplace(key_, static_cast<std::uint32_t>(users_.size()));
  user_by_text_.push_back(it->second);
  if (!is_new) return *users_[it->second];
  auto known = std::make_unique<KnownUser>();
  known->user = std::move(user);
  for (const auto& classifier : context_.classifiers) known->candidates.push_back(classifier->candidates(known->user));
  const auto& groups = known->user.groups;
  known->client = TrafficClient::of(known->user.name, groups);
  known->masters = std::find(groups.begin(), groups.end(), "system:masters") != groups.end();
  return add(std::move(known), user_json, batch);
}

const KnownUser& LocalUsers::client_of(const LogEvent& event, PreparedBatch& batch) {
  key_.assign(event.recorded_flow_schema)
      .append(1, '\0')
      .append(event.user_agent)
      .append(1, ' ')
      .append(event.source_ip);
  const std::uint32_t client = clients_.id(key_);
  if (client < client_users_.size()) return *users_[client_users_[client]];
  auto known = std::make_unique<KnownUser>();
  known->user.name = key_.substr(event.recorded_flow_schema.size() + 1);
  known->logged_schema = event.recorded_flow_schema;
  known->client.node = event.recorded_flow_schema.starts_with("system-node");
  for (const auto& classifier : context_.classifiers)
    known->fixed.push_back(find_recorded_schema(*classifier, event.recorded_flow_schema));
  client_users_.push_back(static_cast<std::uint32_t>(users_.size()));
  return add(std::move(known), {}, batch);
}

const KnownUser& LocalUsers::add(std::unique_ptr<KnownUser> known, std::string_view user_json, PreparedBatch& batch) {
  known->number = static_cast<std::uint32_t>(users_.size());
  if (context_.joined) batch.new_users.emplace_back(user_json);
  if (!context_.tells_clients) batch.new_requesters.push_back({known->user.name, {}});
  else if (context_.keeps_names) batch.new_names.push_back({known->user.name, {}});
  users_.push_back(std::move(known));
  return *users_.back();
}

// A user's requests mostly have one user agent: the one of its last request is compared first.
std::uint32_t LocalUsers::agent_of(const LogEvent& event, const KnownUser& user, PreparedBatch& batch) {
  if (agent_of_user_.size() <= user.number) agent_of_user_.resize(user.number + 1);
  std::uint32_t& last = agent_of_user_[user.number];
  const std::size_t known = agents_.size();
  if (last < known && agents_.text(last) == event.user_agent) return last;
  last = agents_.id(event.user_agent);
  if (last == known) batch.new_agents.emplace_back(event.user_agent);
  return last;
}

std::uint32_t LocalUsers::requester_of(const LogEvent& event, const KnownUser& user, PreparedBatch& batch) {
  if (!context_.tells_clients) return user.number;
  const bool by_address = event.http && event.user_json.empty();
  if (last_requesters_.size() <= user.number) last_requesters_.resize(user.number + 1);
  LastRequester& last = last_requesters_[user.number];
  if (!by_address && last.agent == agent_of_user_[user.number]) return last.requester;
  key_.assign(by_address ? event.source_ip : std::string_view(user.user.name)).append(1, '\0').append(event.user_agent);
  const std::size_t known = requesters_.size();
  const std::uint32_t requester = requesters_.id(key_);
  if (requester == known) {
    batch.new_requesters.push_back(
        {by_address ? std::string(event.source_ip) : user.user.name, std::string(event.user_agent)});
    if (context_.keeps_names) batch.names_of_new_requesters.push_back(user.number);
  }
  if (!by_address) last = {agent_of_user_[user.number], requester};
  return requester;
}

}  // namespace apf
