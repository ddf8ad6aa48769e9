// APF303: a level that lends all its seats, so that nothing is left to begin with after it was idle.
#include <fmt/core.h>

#include "lint/given_levels.h"

namespace apf {

namespace {

void check_lends_everything(const LintContext& context, Findings& findings) {
  for (const GivenLevel& given : given_limited_levels(context)) {
    const LevelLimits& limits = *given.limits;
    if (limits.nominal_cl == 0 || limits.min_cl > 0) continue;
    Diagnostic& d = findings.add(
        *given.level, "spec.limited.lendablePercent",
        fmt::format(
            "this level lends round({} * {} / 100) = {} of its {}: after idle times its first requests {} until the "
            "next adjustment, up to 10 s later",
            limits.nominal_cl, given.level->limited->lendable_percent.value_or(0), limits.lendable_cl,
            count_of(limits.nominal_cl, "seat"), limits.reject ? "run only one at a time" : "wait"));
    if (limits.initial_cl == 0) d.notes.push_back({"a server that has just started gives it 0 seats", {}});
  }
}

}  // namespace

extern const Rule rule_lends_everything = {
    .code = "APF303",
    .name = "lends-everything",
    .severity = Severity::warning,
    .group = RuleGroup::concurrency,
    .summary = "a level lends all its seats",
    .what = R"(round(nominal limit * lendablePercent / 100) is the whole nominal limit. That is the case for 100, and
for less if the nominal limit is small: half of 1 seat rounds to 1.)",
    .why = R"(Seats move between levels every 10 seconds, by the demand of the last 10 seconds. A level without demand
is left with its minimum, which is 0 here. Requests that arrive then wait for the next adjustment. If the level
doesn't queue, they are rejected while another one runs. A level that keeps one seat has none of these problems.)",
    .example = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: nightly
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 30
    lendablePercent: 100
    limitResponse:
      type: Queue
      queuing: {queues: 64, handSize: 6, queueLengthLimit: 50}
)",
    .instead = R"(spec:
  limited:
    nominalConcurrencyShares: 30
    lendablePercent: 90   # what workload-low lends
)",
    .check = check_lends_everything,
};

}  // namespace apf
