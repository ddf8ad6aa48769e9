#include "replay/clients/retry_chains.h"

#include <algorithm>
#include <cmath>

namespace apf {

namespace {

constexpr Nanos kLatest = kSecond + 50 * kMillisecond;  // after a refusal: Retry-After is a second at least
constexpr std::size_t kLeast = 10;                      // gaps
constexpr double kAlike = 0.5;                          // of the median: what nine in ten differ by at most
constexpr double kSame = 0.2;                           // of two medians
constexpr Nanos kNearly = 900 * kMillisecond;           // from there to a second: of one that asks every second

}  // namespace

std::array<Nanos, 3> RetryChains::Gaps::quantiles() const {
  std::array<Nanos, kMost> sorted = values;
  const std::size_t size = std::min(count, kMost);
  std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(size));
  return {sorted[size / 10], sorted[size / 2], sorted[size * 9 / 10]};
}

std::optional<Nanos> RetryChains::Gaps::usual() const {
  if (count < kLeast) return std::nullopt;
  const auto [low, median, high] = quantiles();
  return static_cast<double>(high - low) <= kAlike * static_cast<double>(median) ? std::optional(median) : std::nullopt;
}

bool RetryChains::Client::is_retrying() const {
  if (!after_answer.usual()) return false;
  const auto [low, median, high] = after_answer.quantiles();
  const Nanos between = apart.quantiles()[1];
  if (high - low > between) return false;
  const std::optional<Nanos> refused = after_refused.usual(), served = after_served.usual();
  if (!refused || after_served.count == 0) return median < kNearly || median >= kSecond;
  const auto is_served_gap = [&](Nanos other) {
    return served && std::abs(static_cast<double>(other - *served)) <= kSame * static_cast<double>(other);
  };
  return !is_served_gap(*refused) && !(between < median / 2 && is_served_gap(between));
}

// The refusal that a request at this time follows.
std::deque<RetryChains::Refusal>::iterator RetryChains::followed(const Client& client, OfKey& key, Nanos now) {
  std::deque<Refusal>& refused = key.refused;
  if (!client.gap) return !refused.empty() && refused.front().answered <= now ? refused.begin() : refused.end();
  const auto away = [&](const Refusal& refusal) { return std::abs(now - refusal.answered - *client.gap); };
  const auto nearest = std::min_element(refused.begin(), refused.end(),
                                        [&](const Refusal& a, const Refusal& b) { return away(a) < away(b); });
  return nearest != refused.end() && away(*nearest) <= *client.gap ? nearest : refused.end();
}

RetryChains RetryChains::again() const {
  RetryChains out;
  out.clients_.resize(clients_.size());
  for (std::size_t i = 0; i < clients_.size(); ++i) out.clients_[i].gap = clients_[i].gap;
  return out;
}

RetryChains::Link RetryChains::add(const PreparedEvent& event) {
  if (clients_.size() <= event.requester) clients_.resize(event.requester + 1);
  Client& client = clients_[event.requester];
  if (!client.was_refused && !event.recorded_refusal) return {};
  client.was_refused = true;
  const Key of{event.requester, event.flow, event.target, event.copy};
  const auto known = event.recorded_refusal ? keys_.try_emplace(of).first : keys_.find(of);
  if (known == keys_.end()) return {};
  OfKey& key = known->second;
  Link out;
  if (key.served) client.after_served.add(event.received - *key.served);
  key.served.reset();
  std::deque<Refusal>& refused = key.refused;
  while (!refused.empty() && event.received - refused.front().answered > kLatest) refused.pop_front();
  if (const auto first = followed(client, key, event.received); first != refused.end()) {
    const Nanos gap = event.received - first->answered;
    client.after_answer.add(gap);
    const auto open = std::count_if(refused.begin(), refused.end(),
                                    [&](const Refusal& refusal) { return refusal.answered <= event.received; });
    client.apart.add(gap / std::max<Nanos>(open, 1));
    client.after_refused.add(event.received - first->received);
    if (client.gap || client.is_retrying()) {
      if (const std::optional<Nanos> usual = client.after_answer.usual()) client.gap = usual;
      out = {first->chain, gap};
    }
    refused.erase(first);
  }
  if (event.recorded_refusal) {
    if (out.chain == 0) out.chain = ++chains_;
    refused.push_back({event.received, event.stage_time == kNoTime ? event.received : event.stage_time, out.chain});
  } else {
    key.served = event.received;
  }
  return out;
}

}  // namespace apf
