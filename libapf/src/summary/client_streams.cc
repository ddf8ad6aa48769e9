#include "summary/client_streams.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/hash.h"
#include "logs/answer_cause.h"

namespace apf {
namespace {

std::size_t bin_of(Nanos duration) {
  const double micros = static_cast<double>(std::max<Nanos>(duration, 1)) / 1e3;
  const double bin = std::floor(2 * std::log2(std::max(micros, 1.0)));
  return static_cast<std::size_t>(std::clamp(bin, 0.0, 79.0));
}

Nanos top_of(std::size_t bin) { return static_cast<Nanos>(1e3 * std::exp2((static_cast<double>(bin) + 1) / 2)); }

std::string example_of(const TraceRequest& request, const RequestView& view) {
  return fmt::format("{} {} {} {}", format_rfc3339(request.time), view.f.verb,
                     request.uri.empty() ? std::string(view.f.path) : request.uri, request.code);
}

}  // namespace

void DurationCounts::add(Nanos duration) {
  ++bins_[bin_of(duration)];
  ++count_;
}

std::optional<Nanos> DurationCounts::median() const {
  if (count_ == 0) return std::nullopt;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kBins; ++i)
    if ((sum += bins_[i]) * 2 >= count_) return top_of(i);
  return std::nullopt;
}

// Those that came but a few times, so that those that come often are kept however long the log is.
void ClientStreams::drop_rare() {
  for (std::uint64_t few = 2; streams_.size() >= kMostStreams; few *= 2)
    std::erase_if(streams_, [&](const auto& stream) { return stream.second.requests <= few; });
}

void ClientStreams::add(const RequestFacts& facts, const TraceRequest& request, const RequestView& view) {
  add_herd(facts, view);
  const std::uint64_t who = std::uint64_t{facts.user} << 32 | facts.agent;
  const std::uint64_t key = hash_bytes(view.f.path, mix64(who + 1, 0x9e3779b97f4a7c15ULL + facts.verb));
  if (streams_.size() >= kMostStreams && !streams_.contains(key)) drop_rare();
  ClientStream& s = streams_[key];
  if (s.requests == 0) {
    s.user = facts.user;
    s.agent = facts.agent;
    s.request = facts.request;
    s.is_resource = view.f.is_resource;
    s.named = !view.f.name.empty();
    s.whole_resource = view.f.is_resource && view.f.ns.empty() && view.f.name.empty();
    s.watch = facts.watch;
    s.verb = view.f.verb;
    s.resource = view.f.resource;
    if (!view.f.subresource.empty()) s.resource.append("/").append(view.f.subresource);
    s.path = view.f.path;
    s.first = facts.arrival;
  } else {
    for (std::size_t i = 0; i < std::size(kGapBounds); ++i) s.gaps[i] += facts.arrival - s.last <= kGapBounds[i];
    if (facts.arrival < s.busy_until) ++s.overlapping;
  }
  if (s.examples.size() < 2) s.examples.push_back(example_of(request, view));
  ++s.requests;
  s.last = facts.arrival;
  if (facts.duration) s.busy_until = std::max(s.busy_until, facts.arrival + *facts.duration);
  if (facts.duration) (facts.watch ? s.lives : s.durations).add(*facts.duration);
  s.short_lives += facts.watch && facts.duration && *facts.duration <= kShortLife;
  s.long_durations += !facts.watch && facts.duration && *facts.duration >= kLong;
  s.seat_seconds += facts.seat_seconds;
  ++s.causes[static_cast<std::size_t>(request.recorded.cause)];
  constexpr Nanos kRetryAfter = kSecond;  // the least that the server asks for
  if (s.last_refusal != INT64_MIN && facts.arrival - s.last_refusal < kRetryAfter * 9 / 10) ++s.early;
  s.last_refusal = INT64_MIN;
  if (facts.refused) {
    ++s.refused;
    s.last_refusal = facts.arrival + facts.duration.value_or(0);
  } else if (request.code >= 200 && request.code < 300) {
    ++s.served;
  }
  const bool pages = view.f.limit > 0 || view.f.has_continue;
  if (!pages && view.f.resource_version.empty()) ++s.unpaged;
  if (view.f.is_resource && view.f.verb == "list" && !pages && view.f.resource_version != "0") ++s.whole;
}

void ClientStreams::add_herd(const RequestFacts& facts, const RequestView& view) {
  constexpr std::size_t kMostHerds = 1u << 12, kMostAddresses = 1u << 14;
  if (facts.agent == 0 || facts.address == 0 || (view.f.verb != "list" && view.f.verb != "watch")) return;
  const std::uint64_t key = std::uint64_t{facts.agent} << 32 | facts.request;
  if (herds_.size() >= kMostHerds && !herds_.contains(key)) return;
  Herds& of = herds_[key];
  const Nanos second = facts.arrival / kSecond;
  if (second != of.second) {
    of.second = second;
    of.in_second = of.requests_in_second = 0;
  }
  ++of.requests_in_second;
  if (of.addresses.size() < kMostAddresses || of.addresses.contains(facts.address)) {
    const auto [at, is_new] = of.addresses.try_emplace(facts.address, second);
    if (is_new || at->second != second) ++of.in_second;
    at->second = second;
  }
  if (of.in_second > of.most.addresses)
    of.most = {facts.agent, facts.request, of.in_second, of.requests_in_second, second * kSecond};
}

}  // namespace apf
