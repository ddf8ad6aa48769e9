// A bucket of tokens as golang.org/x/time/rate has it: what client-go's limiter and kube-apiserver's EventRateLimit are
// made of.
#pragma once

#include <algorithm>
#include <cstdint>

#include <apf/time.h>

namespace apf {

struct TokenRate {
  double limit = 0;  // tokens a second, > 0
  double burst = 0;  // how many there are at most
};

// Full at first. Which rate it fills at is the caller's to know: of many buckets with one rate each is two words.
class TokenBucket {
 public:
  explicit TokenBucket(const TokenRate& rate) : tokens_(rate.burst) {}

  // Takes a token if there is one; a refusal changes nothing.
  bool allow(const TokenRate& rate, Nanos now) {
    const double left = filled(rate, now) - 1;
    // A token that is less than a nanosecond away is there.
    if (left < 0 && wait_for(rate, -left) > 0) return false;
    tokens_ = left;
    last_ = now;
    return true;
  }

  // Takes a token, now or from those that will come; how long to wait for it.
  Nanos reserve(const TokenRate& rate, Nanos now) {
    tokens_ = filled(rate, now) - 1;
    last_ = now;
    return tokens_ >= 0 ? 0 : wait_for(rate, -tokens_);
  }

 private:
  static constexpr Nanos kNever = INT64_MIN;
  static constexpr double kNanosPerSecond = 1e9;

  static double seconds(Nanos duration) {  // as Go's Duration.Seconds
    return static_cast<double>(duration / kSecond) + static_cast<double>(duration % kSecond) / kNanosPerSecond;
  }
  static Nanos wait_for(const TokenRate& rate, double tokens) {
    const double wait = tokens / rate.limit * kNanosPerSecond;
    return wait >= 0x1p63 ? INT64_MAX : static_cast<Nanos>(wait);
  }
  // A clock that went back adds nothing.
  double filled(const TokenRate& rate, Nanos now) const {
    if (last_ == kNever || now <= last_) return std::min(rate.burst, tokens_);
    Nanos elapsed = 0;
    if (__builtin_sub_overflow(now, last_, &elapsed)) elapsed = INT64_MAX;
    return std::min(rate.burst, tokens_ + seconds(elapsed) * rate.limit);
  }

  double tokens_;
  Nanos last_ = kNever;  // when a token was taken last
};

}  // namespace apf
