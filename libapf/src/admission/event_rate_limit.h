// The EventRateLimit admission plugin: which event may pass. Mirrors plugin/pkg/admission/eventratelimit of
// kube-apiserver (v1.36).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apf/config.h>
#include <apf/time.h>

#include "admission/token_bucket.h"

namespace apf {

// The identity of a bucket of a limit, as a hash of 128 bits: keys of events are long and many.
struct EventKey {
  std::uint64_t high = 0, low = 0;
  bool operator==(const EventKey& other) const { return high == other.high && low == other.low; }
};
EventKey event_key(std::string_view text);

// The text of an event's key under SourceAndObject: the members one after the other with nothing between, so that "ab"
// and "c" make the key that "a" and "bc" make.
struct SourceAndObject {
  std::string_view component, host;                   // of source
  std::string_view kind, ns, name, uid, api_version;  // of involvedObject
};
std::string source_and_object_key(const SourceAndObject& event);

// The keys of one event; nothing where it is not known what the key is: such limits are left out.
struct EventKeys {
  std::array<std::optional<EventKey>, kEventLimitTypes> of;  // by EventLimitType
  std::optional<EventKey>& at(EventLimitType type) { return of[static_cast<std::size_t>(type)]; }
  const std::optional<EventKey>& at(EventLimitType type) const { return of[static_cast<std::size_t>(type)]; }
};

// The buckets of one limit. Those used last are kept; one that comes back is full again.
class EventBuckets {
 public:
  explicit EventBuckets(std::size_t capacity) : capacity_(capacity) {}

  // The key's bucket, now the one used last. `evicted` is the key that had to go for it, if any.
  TokenBucket& at(const EventKey& key, const TokenRate& rate, std::optional<EventKey>& evicted);
  std::size_t size() const { return nodes_.size(); }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Node {
    EventKey key;
    TokenBucket bucket;
    std::uint32_t newer = kNone, older = kNone;
  };
  std::size_t home(const EventKey& key) const { return key.low & (slots_.size() - 1); }
  void unlink(std::uint32_t node);
  void link_newest(std::uint32_t node);
  void put(std::uint32_t node);
  void take_out(std::uint32_t node);
  void grow();

  const std::size_t capacity_;
  std::vector<Node> nodes_;           // as many as there ever were at once
  std::vector<std::uint32_t> slots_;  // open addressing, at most half full; of a power of two
  std::uint32_t newest_ = kNone, oldest_ = kNone;
};

class EventRateLimiter {
 public:
  // The configuration must be valid.
  explicit EventRateLimiter(const EventRateLimitConfiguration& configuration);

  // Every limit is asked, in order, even if another refuses; each takes its token if it has one. False: one or more
  // refused.
  bool ask(const EventKeys& keys, Nanos now);

  struct Answer {
    bool asked = true;  // false: the event's key is not known
    bool refused = false;
    std::optional<EventKey> evicted;
  };
  // Of the last event, by limit.
  const std::vector<Answer>& answers() const { return answers_; }

  struct Limit {
    EventLimitType type;
    std::int32_t qps = 0;
    TokenRate rate;
    TokenBucket only;      // EventLimitType::server
    EventBuckets buckets;  // of the others
  };
  const std::vector<Limit>& limits() const { return limits_; }

  // The server's message about the last event, which was refused. `keys`: its keys' texts, by EventLimitType.
  std::string message(const std::array<std::string_view, kEventLimitTypes>& keys) const;

 private:
  std::vector<Limit> limits_;
  std::vector<Answer> answers_;
};

}  // namespace apf
