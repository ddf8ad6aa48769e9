// Which requests of a log are further attempts at one that was refused there: the same request of the same client,
// always about as long after the refusal. So a loop that does not wait for Retry-After is told from a client that asks
// anew.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "replay/prepare/prepared.h"

namespace apf {

class RetryChains {
 public:
  struct Link {
    std::uint32_t chain = 0;   // number of the attempts at one request; 0: it was not refused, and follows no refusal
    std::optional<Nanos> gap;  // after the refusal that it follows, where it is a further attempt
  };
  // The next request, in order of time. A client is believed to retry once its gaps are alike, and others than those
  // after requests that were served: whoever asks every second asks also then. Of many open refusals the oldest is
  // always about as old, whatever the client does: then its gaps must be more alike than that. From then on what comes
  // at other times is no further attempt.
  Link add(const PreparedEvent& event);
  bool any() const { return chains_ > 0; }
  // Anew from the beginning of the log, with the gaps of the clients that are believed to retry.
  RetryChains again() const;

 private:
  using Key = std::array<std::uint32_t, 4>;  // requester, flow, target, copy
  struct Refusal {
    Nanos received = 0, answered = 0;
    std::uint32_t chain = 0;
  };
  struct OfKey {
    std::deque<Refusal> refused;  // without a further attempt yet
    std::optional<Nanos> served;  // received last
  };
  // The latest of a client.
  struct Gaps {
    static constexpr std::size_t kMost = 32;
    std::array<Nanos, kMost> values{};
    std::size_t count = 0;
    void add(Nanos gap) { values[count++ % kMost] = gap; }
    std::array<Nanos, 3> quantiles() const;  // 10, 50 and 90 %
    // The median, of gaps that are alike.
    std::optional<Nanos> usual() const;
  };
  struct Client {
    bool was_refused = false;
    std::optional<Nanos> gap;                        // its usual one, once it is believed to retry
    Gaps after_answer, after_refused, after_served;  // the last two from arrival to arrival
    Gaps apart;                                      // after_answer, by the refusals that were open then
    bool is_retrying() const;
  };

  static std::deque<Refusal>::iterator followed(const Client& client, OfKey& key, Nanos now);

  std::vector<Client> clients_;  // by requester
  std::map<Key, OfKey> keys_;    // of those that were refused
  std::uint32_t chains_ = 0;
};

// A request that a client may send again.
inline bool may_retry(const JoinedEvent& joined) {
  return joined.kind == JoinedEvent::Kind::request && joined.event.left_out == LeftOut::no && !joined.event.watch &&
         !joined.event.filled;
}

}  // namespace apf
