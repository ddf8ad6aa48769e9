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
    .what = R"(The comment names a rule that finds nothing there or doesn't exist, or it has a syntax error. Rules
that weren't selected don't count as unused.)",
    .why = R"(The problem has been fixed, or the comment is on the wrong line. If the comment stays, it will hide the
next problem.)",
    .example = R"(spec:
  matchingPrecedence: 1000  # apfctl: ignore[APF101] -- the level comes with another chart
)",
    .instead = "Remove the comment, or move it to the line that the finding points at.",
};

}  // namespace apf
