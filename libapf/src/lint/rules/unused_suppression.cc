// APF901: a comment that silences nothing. suppression.cc reports it when all rules have run.
#include "lint/rule.h"

namespace apf {

extern const Rule rule_unused_suppression = {
    .code = "APF901",
    .name = "unused-suppression",
    .severity = Severity::warning,
    .group = RuleGroup::suppressions,
    .dialect = RuleDialect::any,
    .summary = "a suppression comment suppresses nothing",
    .what = R"(The comment names a rule that finds nothing there, a rule that does not exist, or cannot be understood.
Rules that were not selected do not count as unused.)",
    .why = R"(The fault it was written for is gone, or the comment stands on the wrong line; left in place it would
hide the next one.)",
    .example = R"(spec:
  matchingPrecedence: 1000  # apfctl: ignore[APF101] -- the level comes with another chart
)",
    .instead = "Remove the comment, or move it to the line that the finding names.",
};

}  // namespace apf
