// APF902: a comment that does not say why. suppression.cc reports it when all rules have run.
#include "lint/rule.h"

namespace apf {

extern const Rule rule_suppression_without_reason = {
    .code = "APF902",
    .name = "suppression-without-reason",
    .severity = Severity::warning,
    .group = RuleGroup::suppressions,
    .dialect = RuleDialect::any,
    .summary = "a suppression comment does not say why",
    .what = R"(No reason follows "--" in the comment. The suppression still works.)",
    .why = "Later, nobody can tell whether it is still wanted.",
    .example = R"(spec:
  priorityLevelConfiguration:
    name: batch  # apfctl: ignore[APF101]
)",
    .instead = R"(spec:
  priorityLevelConfiguration:
    name: batch  # apfctl: ignore[APF101] -- the level comes with another chart
)",
};

}  // namespace apf
