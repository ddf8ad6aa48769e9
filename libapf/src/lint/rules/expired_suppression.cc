// APF903: a comment past its end date. suppression.cc reports it when all rules have run.
#include "lint/rule.h"

namespace apf {

extern const Rule rule_expired_suppression = {
    .code = "APF903",
    .name = "expired-suppression",
    .severity = Severity::warning,
    .group = RuleGroup::suppressions,
    .dialect = RuleDialect::any,
    .summary = "a suppression comment has expired",
    .what = R"(The date after until= has passed. The comment no longer suppresses anything, and its finding is
reported again.)",
    .why = "It was meant to be temporary.",
    .example = R"(spec:
  priorityLevelConfiguration:
    name: batch  # apfctl: ignore[APF101] until=2025-01-31 -- ticket 4711
)",
    .instead = "Fix what the finding reports, or agree on a new date.",
};

}  // namespace apf
