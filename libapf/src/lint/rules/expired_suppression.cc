// APF903: a comment past its end date. suppression.cc reports it when all rules have run.
#include "lint/rule.h"

namespace apf {

extern const Rule rule_expired_suppression = {
    .code = "APF903",
    .name = "expired-suppression",
    .severity = Severity::warning,
    .group = RuleGroup::suppressions,
    .dialect = RuleDialect::any,
    .summary = "a suppression comment is past its end date",
    .what = R"(The date after until= is over. From then on the comment suppresses nothing, and the finding it was for
is shown again.)",
    .why = "It was meant to be temporary.",
    .example = R"(spec:
  priorityLevelConfiguration:
    name: batch  # apfctl: ignore[APF101] until=2025-01-31 -- ticket 4711
)",
    .instead = "Mend what the finding names, or agree on a new date.",
};

}  // namespace apf
