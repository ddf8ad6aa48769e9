// APF405: queues that let very many requests wait in the server's memory.
#include <fmt/core.h>

#include "lint/given_levels.h"

namespace apf {

namespace {

constexpr int kLengthBuiltIn = 50;
constexpr std::int64_t kMostWaitingBuiltIn = 128 * kLengthBuiltIn;  // waiting requests of a built-in level
constexpr std::int64_t kBoundless = 16 * kMostWaitingBuiltIn;

void check_boundless_waiting(const LintContext& context, Findings& findings) {
  for (const GivenLevel& given : given_limited_levels(context)) {
    const LevelLimits& limits = *given.limits;
    const std::int64_t waiting = std::int64_t{limits.queues} * limits.queue_length_limit;
    if (waiting < kBoundless) continue;
    Diagnostic& d = findings.add(
        *given.level,
        // The one that is out of the ordinary.
        fmt::format("spec.limited.limitResponse.queuing.{}",
                    limits.queue_length_limit > kLengthBuiltIn ? "queueLengthLimit" : "queues"),
        fmt::format(
            "{} * {} = {} requests can wait at this level at once, in the server's memory; built-in levels allow {} or "
            "fewer places",
            limits.queues, limits.queue_length_limit, waiting, kMostWaitingBuiltIn));
    d.notes.push_back(
        {fmt::format("one flow alone can have {} * {} = {} of them", limits.hand_size, limits.queue_length_limit,
                     std::int64_t{limits.hand_size} * limits.queue_length_limit),
         {}});
  }
}

}  // namespace

extern const Rule rule_boundless_waiting = {
    .code = "APF405",
    .name = "boundless-waiting",
    .severity = Severity::info,
    .group = RuleGroup::queues,
    .summary = "very many requests can wait in the server's memory",
    .what = R"(queues * queueLengthLimit, the number of requests that can wait at the level at once, is at least 16
times that of any built-in level (128 * 50 = 6,400). One flow alone can have handSize * queueLengthLimit of them.)",
    .why = R"(A waiting request holds its stream on the connection, its goroutines, and what has been read of it. Flow
control should bound what the server holds at a time. Such long queues only move the load from its processor to its
memory.)",
    .example = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: tenants
spec:
  type: Limited
  limited:
    limitResponse:
      type: Queue
      queuing: {queues: 128, handSize: 6, queueLengthLimit: 10000}
)",
    .instead = R"(      queuing: {queues: 128, handSize: 6, queueLengthLimit: 50}
)",
    .check = check_boundless_waiting,
};

}  // namespace apf
