// Clients that give up: they hang up when a request has not been answered for so long. A waiting request then leaves
// its queue, a running one ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <apf/replay.h>

#include "replay/clients/client_entry.h"
#include "replay/prepare/prepared.h"

namespace apf {

class Patience {
 public:
  // `requesters` may grow. `request_timeout`: the server's.
  Patience(const std::vector<ClientTimeout>& timeouts, const std::vector<Requester>& requesters, Nanos request_timeout)
      : timeouts_(timeouts), requesters_(requesters), longest_wait_(request_timeout / 4) {}

  // How long the client waits for its answer, kForEver: as long as it takes. A watch has its first answer when it
  // begins.
  static constexpr Nanos kForEver = INT64_MAX;
  Nanos of(const PreparedEvent& event) {
    if (timeouts_.empty() || event.watch || event.requester >= requesters_.size()) return kForEver;
    if (event.requester >= known_.size()) known_.resize(event.requester + 1, kUnknown);
    Nanos& patience = known_[event.requester];
    if (patience == kUnknown) {
      const ClientTimeout* timeout = entry_of(timeouts_, requesters_[event.requester]);
      patience = timeout ? timeout->patience : kForEver;
    }
    return patience;
  }
  // How long the request may queue. That a client left its queue in the log says no more than `patience` does.
  Nanos wait_limit(const PreparedEvent& event, Nanos patience) const {
    return std::min(event.hung_up && patience != kForEver ? longest_wait_ : event.wait_limit, patience);
  }
  // Whether a request that leaves its queue after `wait` does so because its client hangs up, by `patience` or as in
  // the log; else the server lets it wait no longer.
  static bool gives_up(const PreparedEvent& event, Nanos patience, Nanos wait) {
    return wait >= (event.hung_up && patience == kForEver ? event.wait_limit : patience);
  }

 private:
  static constexpr Nanos kUnknown = -1;
  const std::vector<ClientTimeout>& timeouts_;
  const std::vector<Requester>& requesters_;
  const Nanos longest_wait_;
  std::vector<Nanos> known_;  // by requester
};

}  // namespace apf
