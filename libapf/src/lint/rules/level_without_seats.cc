// APF310: a level that queues and can never have a seat.
#include <fmt/core.h>

#include "lint/given_levels.h"

namespace apf {

namespace {

void check_level_without_seats(const LintContext& context, Findings& findings) {
  for (const GivenLevel& given : given_limited_levels(context)) {
    const LevelLimits& limits = *given.limits;
    if (limits.queues <= 0 || limits.max_cl > 0) continue;
    const std::int32_t percent = given.level->limited->borrowing_limit_percent.value_or(0);
    Diagnostic& d = findings.add(
        *given.level, shares_field(*given.level),
        fmt::format(
            "this level never has a seat (nominal limit {}, borrowing limit {}% of that): its requests wait until they "
            "time out, and are then rejected",
            nominal_arithmetic(context, limits), percent));
    d.notes.push_back({fmt::format("up to {} * {} = {} requests wait at once", limits.queues, limits.queue_length_limit,
                                   std::int64_t{limits.queues} * limits.queue_length_limit),
                       {}});
  }
}

}  // namespace

extern const Rule rule_level_without_seats = {
    .code = "APF310",
    .name = "level-without-seats",
    .severity = Severity::warning,
    .group = RuleGroup::concurrency,
    .summary = "a level queues requests but can never run one",
    .what = "The nominal limit is 0, and borrowingLimitPercent is set: any percentage of 0 is 0. The level queues.",
    .why = R"(Each request waits in a queue for a quarter of its timeout (15 s by default) and is then rejected with
429. Meanwhile it holds a connection and memory of the server. To clients, the server seems to hang rather than to
reject.)",
    .example = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: parking
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 0
    borrowingLimitPercent: 50
    limitResponse:
      type: Queue
      queuing: {queues: 64, handSize: 6, queueLengthLimit: 50}
)",
    .instead = R"(Give the level shares. Or remove borrowingLimitPercent, so that it runs on what others lend. Or, if
you want to stop the client, remove its permissions.)",
    .check = check_level_without_seats,
};

}  // namespace apf
