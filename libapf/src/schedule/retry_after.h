// The Retry-After of a refused client: grows while a level keeps refusing, shrinks when it stops
// (k8s.io/apiserver/pkg/server/filters/priority-and-fairness.go and pkg/util/flowcontrol/dropped_requests_tracker.go,
// v1.36).
#pragma once

#include <array>
#include <cstdint>

#include <apf/time.h>

namespace apf {

class RetryAfter {
 public:
  // `grows`: else it is always 1 s, as before 1.28.
  explicit RetryAfter(bool grows = true) : grows_(grows) {}
  // A request is refused at `now`. Returns the seconds to tell its client.
  int refuse(Nanos now);

 private:
  static constexpr int kMost = 32;  // seconds

  std::int64_t drops_before(std::int64_t second) const;

  // Drops by second, at the second modulo the size: nothing older than kMost seconds is ever asked for.
  struct Drops {
    std::int64_t second = INT64_MIN, count = 0;
  };
  std::array<Drops, kMost + 1> drops_{};
  std::int64_t current_second_ = INT64_MIN;
  std::int64_t increased_at_ = INT64_MIN;  // INT64_MIN: never
  int seconds_ = 1;
  bool grows_;
};

}  // namespace apf
