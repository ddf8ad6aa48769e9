// APF602: burst below qps.
#include <fmt/core.h>

#include "lint/rule.h"

namespace apf {

namespace {

void check_event_burst_below_rate(const LintContext& context, Findings& findings) {
  for (const EventRateLimitConfiguration& object : context.loaded.event_rate_limits) {
    for (std::size_t i = 0; i < object.limits.size(); ++i) {
      const EventRateLimitConfiguration::Limit& limit = object.limits[i];
      if (limit.burst <= 0 || limit.burst >= limit.qps) continue;
      findings.add(
          object, fmt::format("limits[{}].burst", i),
          fmt::format(
              "at most {} of the {} events of a second may arrive at once: the others are rejected, although the "
              "rate allows them",
              limit.burst, limit.qps));
    }
  }
}

}  // namespace

extern const Rule rule_event_burst_below_rate = {
    .code = "APF602",
    .name = "event-burst-below-rate",
    .severity = Severity::info,
    .group = RuleGroup::event_rate_limit,
    .summary = "an event limit has a burst below its qps",
    .what = R"(burst is smaller than qps: the bucket is full after less than a second, and never has the tokens of a
full second.)",
    .why = R"(Events come in bursts: a failing workload sends a few dozen at once. Such events are rejected far below
the rate that qps allows, and clients don't resend rejected events.)",
    .example = R"(limits:
- {type: Namespace, qps: 50, burst: 10}
)",
    .instead = R"(limits:
- {type: Namespace, qps: 50, burst: 100}
)",
    .check = check_event_burst_below_rate,
};

}  // namespace apf
