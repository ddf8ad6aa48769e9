// APF404: many more queues than the level has seats.
#include <fmt/core.h>

#include <algorithm>

#include "lint/given_levels.h"

namespace apf {

namespace {

constexpr int kMostQueuesBuiltIn = 128;  // queues of a built-in level
constexpr int kFar = 16;                 // queues for each seat

void check_queues_far_above_seats(const LintContext& context, Findings& findings) {
  for (const GivenLevel& given : given_limited_levels(context)) {
    const LevelLimits& limits = *given.limits;
    if (limits.queues <= kMostQueuesBuiltIn || limits.queues < std::int64_t{kFar} * std::max(1, limits.nominal_cl))
      continue;
    findings.add(*given.level, "spec.limited.limitResponse.queuing.queues",
                 fmt::format("{} queues for {} seats: the server looks at all of them whenever it dispatches a request",
                             limits.queues, nominal_arithmetic(context, limits)));
  }
}

}  // namespace

extern const Rule rule_queues_far_above_seats = {
    .code = "APF404",
    .name = "queues-far-above-seats",
    .severity = Severity::info,
    .group = RuleGroup::queues,
    .summary = "a level has many more queues than seats",
    .what = R"(A level has more than 128 queues, which is the most that any built-in level has, and 16 or more for
each seat of its nominal limit.)",
    .why = R"(The server looks at all queues of a level, under a lock, whenever it dispatches a request and whenever
its virtual time advances, so thousands of queues make every request slower. They hardly separate flows any better:
with 128 queues and hands of 6, the odds that four heavy flows fill all queues of a light one are already 1 in 61,900.)",
    .example = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: tenants
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 10
    limitResponse:
      type: Queue
      queuing: {queues: 4096, handSize: 4, queueLengthLimit: 50}
)",
    .instead = R"(      queuing: {queues: 128, handSize: 6, queueLengthLimit: 50}
)",
    .check = check_queues_far_above_seats,
};

}  // namespace apf
