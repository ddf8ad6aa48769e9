#include "summary/herds.h"

#include <algorithm>

namespace apf {
namespace {

constexpr std::uint64_t kLeastAddresses = 20;
constexpr Nanos kAround = 30 * kSecond;      // before a herd's second, and after it
constexpr Nanos kLeastAround = 2 * kSecond;  // of the log

bool is_larger(const Herd& a, const Herd& b) {
  return a.addresses != b.addresses ? a.addresses > b.addresses : a.requests > b.requests;
}

}  // namespace

void Herds::add(const RequestFacts& facts) {
  constexpr std::size_t kMostKinds = 1u << 12, kMostAddresses = 1u << 14;
  first_ = std::min(first_, facts.arrival);
  last_ = std::max(last_, facts.arrival);
  if (facts.agent == 0 || facts.address == 0 || facts.heartbeat) return;
  // Heartbeats of kubelets are many in any second of a large cluster, and a log may be cut out of it.
  if (!facts.lists && names_.agents.text(facts.agent).starts_with("kubelet/")) return;
  const std::uint64_t key = std::uint64_t{facts.agent} << 32 | facts.request;
  if (kinds_.size() >= kMostKinds && !kinds_.contains(key)) return;
  Kind& of = kinds_[key];
  forget(of, facts.arrival);
  const Nanos second = facts.arrival / kSecond;
  if (of.seconds.empty() || of.seconds.back().first < second) of.seconds.emplace_back(second, 0);
  ++of.seconds.back().second;
  if (of.addresses.size() >= kMostAddresses && !of.addresses.contains(facts.address)) return;
  const auto [at, is_new] = of.addresses.try_emplace(facts.address, facts.arrival);
  of.addresses_within += is_new || at->second <= facts.arrival - kSecond;
  at->second = facts.arrival;
  of.within.emplace_back(facts.arrival, facts.address);
  if (of.addresses_within < kLeastAddresses) return;
  const Herd now{facts.agent, facts.request, of.addresses_within, of.within.size(), 0, of.within.front().first};
  if (is_larger(now, of.most) && is_larger(now, of.candidate)) of.candidate = now;
}

// What lies too far back; and what follows the candidate is known by then.
void Herds::forget(Kind& of, Nanos arrival) const {
  for (; !of.within.empty() && of.within.front().first <= arrival - kSecond; of.within.pop_front()) {
    const auto at = of.addresses.find(of.within.front().second);
    if (at == of.addresses.end() || at->second != of.within.front().first) continue;
    --of.addresses_within;
    at->second = INT64_MIN;
  }
  if (of.candidate.addresses > 0 && arrival / kSecond > (of.candidate.second + kSecond + kAround) / kSecond) {
    of.most = largest(of);
    of.candidate = {};
  }
  const Nanos kept = (arrival - 2 * (kAround + kSecond)) / kSecond - 1;
  while (!of.seconds.empty() && of.seconds.front().first < kept) of.seconds.pop_front();
}

// Steady traffic of many machines is no herd: before and after its second, at most a quarter as many requests a second
// come as it has addresses.
bool Herds::stands_out(const Kind& of) const {
  const Herd& herd = of.candidate;
  if (herd.addresses == 0) return false;
  const Nanos from = std::max(first_, herd.second - kAround);
  const Nanos to = std::min(last_, herd.second + kSecond + kAround);
  if (to - from - kSecond < kLeastAround) return false;
  std::uint64_t requests = 0;
  for (const auto& [second, count] : of.seconds)
    if (second >= from / kSecond && second <= to / kSecond) requests += count;
  const double seconds = static_cast<double>(to - from - kSecond) / 1e9;
  return static_cast<double>(requests - herd.requests) * 4 <= static_cast<double>(herd.addresses) * seconds;
}

std::vector<Herd> Herds::find() const {
  std::vector<Herd> out;
  for (const auto& [key, of] : kinds_) {
    Herd herd = largest(of);
    herd.all_addresses = of.addresses.size();
    if (herd.addresses >= kLeastAddresses && herd.addresses * 5 >= herd.all_addresses * 4) out.push_back(herd);
  }
  return out;
}

}  // namespace apf
