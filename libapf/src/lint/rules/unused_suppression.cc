// APF901: a comment that silences nothing. suppression.cc reports it when all rules have run.
#include "lint/rule.h"

namespace apf {

extern const Rule rule_unused_suppression = {
    {"APF901", "unused-suppression", Severity::warning, "a suppression comment suppresses nothing",
     "The comment names a rule that finds nothing there, a rule that does not exist, or cannot be understood. Rules "
     "that "
     "were not selected do not count as unused.",
     "The fault it was written for is gone, or the comment stands on the wrong line; left in place it would hide the "
     "next one.",
     R"(spec:
  matchingPrecedence: 1000  # apfctl: ignore[APF101] -- the level comes with another chart
)",
     "Remove the comment, or move it to the line that the finding names."},
    nullptr};

}  // namespace apf
