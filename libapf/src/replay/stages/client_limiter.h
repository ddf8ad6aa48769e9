// The limiter that client-go puts into every client: a request waits for a token of its client's bucket, and is never
// refused. Arithmetic of golang.org/x/time/rate, as flowcontrol.NewTokenBucketRateLimiter of client-go uses it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <apf/replay.h>

#include "admission/token_bucket.h"
#include "replay/stages/stage_book.h"

namespace apf {

class ClientLimiter {
 public:
  // `requesters` may grow.
  ClientLimiter(const ClientLimits& limits, const std::vector<Requester>& requesters)
      : limits_(limits), requesters_(requesters) {}
  // A request that its client would send at `now`: how long its client makes it wait; nothing: it has no limit.
  std::optional<Nanos> delay(std::uint32_t requester, Nanos now);

 private:
  struct Client {
    bool known = false;
    bool limited = false;
    TokenRate rate;
    TokenBucket bucket{{}};
  };
  const ClientLimits& limits_;
  const std::vector<Requester>& requesters_;
  std::vector<Client> clients_;  // by requester
};

}  // namespace apf
