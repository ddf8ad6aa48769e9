// APF301: a level with one seat of its own, or none.
#include <fmt/core.h>

#include "lint/given_levels.h"

namespace apf {

namespace {

void check_tiny_nominal_limit(const LintContext& context, Findings& findings) {
  for (const GivenLevel& given : given_limited_levels(context)) {
    const LevelLimits& limits = *given.limits;
    // Levels of no seats at all have rules of their own.
    if (limits.nominal_cl > 1 || (limits.nominal_cl == 0 && (limits.reject || limits.max_cl == 0))) continue;
    const std::string arithmetic = nominal_arithmetic(context, limits);
    if (limits.nominal_cl == 1) {
      findings.add(
          *given.level, shares_field(*given.level),
          fmt::format("this level has {} seat of its own: while the server is busy, its requests run one at a time",
                      arithmetic));
      continue;
    }
    Diagnostic& d = findings.add(
        *given.level, shares_field(*given.level),
        fmt::format("this level has {} seats of its own: its requests run only on seats that others lend", arithmetic));
    // Zero is rarely written by accident.
    d.severity = Severity::info;
  }
}

}  // namespace

extern const Rule rule_tiny_nominal_limit = {
    .code = "APF301",
    .name = "tiny-nominal-limit",
    .severity = Severity::warning,
    .group = RuleGroup::concurrency,
    .summary = "a level has only one seat of its own, or none",
    .what = R"(With the given server limits (--max-requests-inflight + --max-mutating-requests-inflight) the level's
nominal limit, ceil(server limit * its shares / all shares), is 1. Or it is 0 because its shares are 0, and the level
queues; then the severity is info.)",
    .why = R"(Shares aren't seats. What they are worth depends on the server's limits and on the shares of all other
levels, including the server's own (245). With one seat, requests run one at a time when no other level has seats to
lend, and one slow request holds up all others of the level. With no seat, they wait until they time out.)",
    .example = R"(# with 600 seats: ceil(600 * 1 / 1246) = 1
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: reports
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 1   # and another level has 1000
    limitResponse:
      type: Queue
      queuing: {queues: 64, handSize: 6, queueLengthLimit: 50}
)",
    .instead = R"(Choose shares by the seats that they give: `apfctl limits -f FILE` shows them for all levels. The
shares of the built-in levels (5 to 100) are a good start.)",
    .check = check_tiny_nominal_limit,
};

}  // namespace apf
