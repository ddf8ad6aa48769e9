#include "replay/stages/client_limiter.h"

#include <algorithm>

namespace apf {

namespace {

constexpr double kNanosPerSecond = 1e9;
// The server's own client (loopback) is made without a limiter.
constexpr const char* kLoopbackUser = "system:apiserver";
constexpr ClientLimit kNone{-1, 0};

double seconds(Nanos duration) {  // as Go's Duration.Seconds
  return static_cast<double>(duration / kSecond) + static_cast<double>(duration % kSecond) / kNanosPerSecond;
}

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

Nanos TokenBucket::take(Nanos now) {
  if (last_ == INT64_MIN) last_ = now;
  now = std::max(now, last_);
  tokens_ = std::min(tokens_ + seconds(now - last_) * limit_, burst_) - 1;
  last_ = now;
  if (tokens_ >= 0) return 0;
  const double wait = -tokens_ / limit_ * kNanosPerSecond;
  return wait >= 0x1p63 ? INT64_MAX : static_cast<Nanos>(wait);
}

std::optional<Nanos> ClientLimiter::delay(std::uint32_t requester, Nanos now) {
  if (requester >= clients_.size()) clients_.resize(requester + 1);
  Client& client = clients_[requester];
  if (!client.known) {
    client.known = true;
    const Requester& who = requesters_[requester];
    const ClientLimit& limit = limits_.of(who.user, who.user_agent);
    if (limit.qps > 0) client.bucket.emplace(limit.qps, limit.burst);
  }
  if (!client.bucket) return std::nullopt;
  return client.bucket->take(now);
}

}  // namespace apf
