// APF901 to APF903, about the comments that silence findings. suppression.cc reports them when all rules have run.
#include "lint/rule.h"

namespace apf {

extern const Rule rule_unused_suppression = {
    {"APF901", "unused-suppression", Severity::warning, "a suppression comment suppresses nothing",
     "The comment names a rule that finds nothing there, a rule that does not exist, or cannot be understood. Rules that "
     "were not selected do not count as unused.",
     "The fault it was written for is gone, or the comment stands on the wrong line; left in place it would hide the "
     "next one.",
     R"(spec:
  matchingPrecedence: 1000  # apfctl: ignore[APF101] -- the level comes with another chart
)",
     "Remove the comment, or move it to the line that the finding names."},
    nullptr};

extern const Rule rule_suppression_without_reason = {
    {"APF902", "suppression-without-reason", Severity::warning, "a suppression comment does not say why",
     "No reason follows \"--\" in the comment. The suppression counts all the same.",
     "Nobody can tell later whether it is still wanted.",
     R"(spec:
  priorityLevelConfiguration:
    name: batch  # apfctl: ignore[APF101]
)",
     R"(spec:
  priorityLevelConfiguration:
    name: batch  # apfctl: ignore[APF101] -- the level comes with another chart
)"},
    nullptr};

extern const Rule rule_expired_suppression = {
    {"APF903", "expired-suppression", Severity::warning, "a suppression comment is past its end date",
     "The date after until= is over. From then on the comment suppresses nothing, and the finding it was for is shown "
     "again.",
     "It was meant to be temporary.",
     R"(spec:
  priorityLevelConfiguration:
    name: batch  # apfctl: ignore[APF101] until=2025-01-31 -- ticket 4711
)",
     "Mend what the finding names, or agree on a new date."},
    nullptr};

}  // namespace apf
