// EventRateLimit as a stage of the replay: who is asked, and what is counted.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <apf/replay.h>

#include "admission/event_rate_limit.h"
#include "replay/stages/handler_stage.h"

namespace apf {

class EventRateLimitStage final : public HandlerStage {
 public:
  explicit EventRateLimitStage(const EventRateLimitConfiguration& configuration);

  Outcome outcome() const override { return Outcome::event_rate_limit; }
  Verdict ask(const AdmissionAttributes& request, const AskedWhen& when) override;
  // The first limit that refused it is the reason.
  int code() const override { return 429; }
  const char* reason() const override;
  std::string message(const AdmissionAttributes& request) const override;
  bool refused_in_log(const AdmissionAttributes& request) const override { return request.refused_by_event_limit; }
  void fill(ReplayReport& report, Nanos now) override;
  void add_facts(ReplayFacts& facts) const override;

 private:
  // Events that a limit could not be asked about, the most of any limit of that type.
  std::uint64_t undecidable(EventLimitType type) const;

  struct Counts {
    std::uint64_t asked = 0, refused = 0, undecidable = 0, evicted = 0;
  };
  EventRateLimiter limiter_;
  std::vector<std::int32_t> cache_sizes_;
  std::vector<Counts> counts_;   // by limit
  EventRateLimitReport report_;  // but for the limits
};

}  // namespace apf
