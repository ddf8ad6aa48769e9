// EventRateLimit as a stage of the replay: who is asked, and what is counted.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <apf/stages.h>

#include "admission/event_rate_limit.h"
#include "replay/prepare/attributes.h"

namespace apf {

class EventRateLimitStage {
 public:
  explicit EventRateLimitStage(const EventRateLimitConfiguration& configuration);

  enum class Verdict : std::uint8_t { bypassed, passed, refused };
  // `in_report`: counts.
  Verdict ask(const AdmissionAttributes& request, Nanos now, bool in_report);
  // Why the last one was refused: the first limit that did, and the server's text.
  const char* reason() const;
  std::string message(const AdmissionAttributes& request) const;

  void fill(EventRateLimitReport& report) const;
  // Events that a limit could not be asked about, the most of any limit of that type.
  std::uint64_t undecidable(EventLimitType type) const;

 private:
  struct Counts {
    std::uint64_t asked = 0, refused = 0, undecidable = 0, evicted = 0;
  };
  EventRateLimiter limiter_;
  std::vector<std::int32_t> cache_sizes_;
  std::vector<Counts> counts_;  // by limit
  EventRateLimitReport told_;   // but for the limits
};

}  // namespace apf
