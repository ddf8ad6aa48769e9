// APF407: queues longer than the level can work off before their requests time out.
#include <fmt/core.h>

#include "lint/given_levels.h"

namespace apf {

namespace {

constexpr std::int64_t kWaitLimit = 15'000;  // ms: a quarter of the default --request-timeout
constexpr std::int64_t kShortRequest = 3;    // ms: the server's own estimate before a request has run

void check_queue_outlasts_wait_limit(const LintContext& context, Findings& findings) {
  for (const GivenLevel& given : given_limited_levels(context)) {
    const LevelLimits& limits = *given.limits;
    if (limits.queues <= 0 || limits.nominal_cl == 0) continue;
    const std::int64_t in_time = limits.nominal_cl * kWaitLimit / kShortRequest;
    const std::int64_t of_flow = std::int64_t{limits.hand_size} * limits.queue_length_limit;
    const std::int64_t of_level = std::int64_t{limits.queues} * limits.queue_length_limit;
    if (of_level <= in_time) continue;
    const bool by_one = of_flow > in_time;
    findings.add(
        *given.level, "spec.limited.limitResponse.queuing.queueLengthLimit",
        fmt::format("{} hold {} * {} = {} requests, but its {} can run only {} * 15 s / {} ms = {} very short ones "
                    "before the rest time out",
                    by_one ? "one flow's queues at this level" : "this level's queues",
                    by_one ? limits.hand_size : limits.queues, limits.queue_length_limit, by_one ? of_flow : of_level,
                    count_of(limits.nominal_cl, "seat"), limits.nominal_cl, kShortRequest, in_time));
  }
}

}  // namespace

extern const Rule rule_queue_outlasts_wait_limit = {
    .code = "APF407",
    .name = "queue-outlasts-wait-limit",
    .severity = Severity::warning,
    .group = RuleGroup::queues,
    .summary = "requests in full queues time out before they can run",
    .what = R"(At 3 ms for each request, which is the server's own estimate before a request has run, the seats of the
level's nominal limit can't run queues * queueLengthLimit requests within the 15 s that a request may wait (a quarter
of the default --request-timeout).)",
    .why = R"(A request waits at most a quarter of its timeout, and is then rejected. Places in the queues beyond what
can run in that time only make clients wait longer for their 429, and use memory meanwhile. Real requests take longer
than 3 ms, so much shorter queues are too long already.)",
    .example =
        R"(# with 600 seats: ceil(600 * 5 / 250) = 12, which run 12 * 15 s / 3 ms = 60,000 requests; the queues hold 64,000
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: tenants
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 5
    limitResponse:
      type: Queue
      queuing: {queues: 64, handSize: 6, queueLengthLimit: 1000}
)",
    .instead = R"(      queuing: {queues: 64, handSize: 6, queueLengthLimit: 50}
)",
    .check = check_queue_outlasts_wait_limit,
};

}  // namespace apf
