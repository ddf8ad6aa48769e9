#include "replay/stages/client_limiter.h"

namespace apf {

namespace {

// The server's own client (loopback) is made without a limiter.
constexpr const char* kLoopbackUser = "system:apiserver";
constexpr ClientLimit kNone{-1, 0};

}  // namespace

const ClientLimit& ClientLimits::of(const std::string& user, const std::string& user_agent) const {
  if (user == kLoopbackUser) return kNone;
  const ClientLimit* found = &of_all;
  std::size_t longest = 0;
  for (const auto& [agent, limit] : by_user_agent) {
    if (agent.size() < longest || !user_agent.starts_with(agent)) continue;
    longest = agent.size();
    found = &limit;
  }
  return *found;
}

std::optional<Nanos> ClientLimiter::delay(std::uint32_t requester, Nanos now) {
  if (requester >= clients_.size()) clients_.resize(requester + 1);
  Client& client = clients_[requester];
  if (!client.known) {
    client.known = true;
    const Requester& who = requesters_[requester];
    const ClientLimit& limit = limits_.of(who.user, who.user_agent);
    client.limited = limit.qps > 0;
    client.rate = {limit.qps, static_cast<double>(limit.burst)};
    client.bucket = TokenBucket(client.rate);
  }
  if (!client.limited) return std::nullopt;
  return client.bucket.reserve(client.rate, now);
}

}  // namespace apf
