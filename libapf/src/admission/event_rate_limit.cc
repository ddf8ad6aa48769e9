// The configuration of kube-apiserver's EventRateLimit admission plugin: how many events are taken from whom
// (eventratelimit.admission.k8s.io/v1alpha1, kind Configuration).
#include "admission/event_rate_limit.h"

#include <algorithm>
#include <cassert>

#include "base/hash.h"

namespace apf {

EventKey event_key(std::string_view text) { return {hash_bytes(text), hash_bytes(text, 7)}; }

std::string source_and_object_key(const SourceAndObject& event) {
  std::string key;
  for (const std::string_view part :
       {event.component, event.host, event.kind, event.ns, event.name, event.uid, event.api_version})
    key += part;
  return key;
}

void EventBuckets::unlink(std::uint32_t node) {
  const Node& n = nodes_[node];
  (n.newer == kNone ? newest_ : nodes_[n.newer].older) = n.older;
  (n.older == kNone ? oldest_ : nodes_[n.older].newer) = n.newer;
}

void EventBuckets::link_newest(std::uint32_t node) {
  Node& n = nodes_[node];
  n.newer = kNone;
  n.older = newest_;
  (newest_ == kNone ? oldest_ : nodes_[newest_].newer) = node;
  newest_ = node;
}

void EventBuckets::put(std::uint32_t node) {
  std::size_t slot = home(nodes_[node].key);
  while (slots_[slot] != kNone) slot = (slot + 1) & (slots_.size() - 1);
  slots_[slot] = node;
}

// Those behind it that were pushed on move back, so that no search ends too early.
void EventBuckets::take_out(std::uint32_t node) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = home(nodes_[node].key);
  while (slots_[hole] != node) hole = (hole + 1) & mask;
  for (std::size_t slot = (hole + 1) & mask; slots_[slot] != kNone; slot = (slot + 1) & mask) {
    const std::size_t away = (slot - home(nodes_[slots_[slot]].key)) & mask;
    if (away < ((slot - hole) & mask)) continue;
    slots_[hole] = slots_[slot];
    hole = slot;
  }
  slots_[hole] = kNone;
}

void EventBuckets::grow() {
  slots_.assign(std::max<std::size_t>(16, 2 * slots_.size()), kNone);
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) put(node);
}

TokenBucket& EventBuckets::at(const EventKey& key, const TokenRate& rate, std::optional<EventKey>& evicted) {
  if (!slots_.empty()) {
    for (std::size_t slot = home(key); slots_[slot] != kNone; slot = (slot + 1) & (slots_.size() - 1)) {
      const std::uint32_t node = slots_[slot];
      if (!(nodes_[node].key == key)) continue;
      if (node != newest_) {
        unlink(node);
        link_newest(node);
      }
      return nodes_[node].bucket;
    }
  }
  std::uint32_t node = oldest_;
  if (nodes_.size() < capacity_) {
    node = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({key, TokenBucket(rate)});
    if (2 * nodes_.size() > slots_.size()) {
      grow();
    } else {
      put(node);
    }
  } else {
    evicted = nodes_[node].key;
    take_out(node);
    unlink(node);
    nodes_[node] = {key, TokenBucket(rate)};
    put(node);
  }
  link_newest(node);
  return nodes_[node].bucket;
}

EventRateLimiter::EventRateLimiter(const EventRateLimitConfiguration& configuration) {
  for (const EventRateLimitConfiguration::Limit& limit : configuration.limits) {
    const std::optional<EventLimitType> type = event_limit_type(limit.type);
    assert(type && limit.qps > 0 && limit.burst > 0);
    // rest/client's limiter takes a float32.
    const TokenRate rate{static_cast<double>(static_cast<float>(limit.qps)), static_cast<double>(limit.burst)};
    limits_.push_back(
        {*type, limit.qps, rate, TokenBucket(rate), EventBuckets(static_cast<std::size_t>(limit.buckets()))});
  }
  answers_.resize(limits_.size());
}

bool EventRateLimiter::ask(const EventKeys& keys, Nanos now) {
  bool passes = true;
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    Limit& limit = limits_[i];
    Answer& answer = answers_[i];
    const std::optional<EventKey>& key = keys.at(limit.type);
    answer.evicted.reset();
    answer.asked = key || limit.type == EventLimitType::server;
    answer.refused = false;
    if (!answer.asked) continue;
    TokenBucket& bucket =
        limit.type == EventLimitType::server ? limit.only : limit.buckets.at(*key, limit.rate, answer.evicted);
    answer.refused = !bucket.allow(limit.rate, now);
    passes = passes && !answer.refused;
  }
  return passes;
}

// The server joins what its limits say and leaves out what was said before.
std::string EventRateLimiter::message(const std::array<std::string_view, kEventLimitTypes>& keys) const {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    if (!answers_[i].refused) continue;
    const EventLimitType type = limits_[i].type;
    std::string text = std::string("limit reached on type ") + to_string(type) + " for key ";
    if (type != EventLimitType::server) text += keys[static_cast<std::size_t>(type)];
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
  }
  std::string out = "Too many requests: ";
  if (texts.size() == 1) return out + texts.front();
  char before = '[';
  for (const std::string& text : texts) {
    out += before;
    if (before == ',') out += ' ';
    out += text;
    before = ',';
  }
  return out + "]";
}

}  // namespace apf
