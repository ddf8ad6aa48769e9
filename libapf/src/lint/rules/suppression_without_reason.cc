// APF902: a comment that does not say why. suppression.cc reports it when all rules have run.
#include "lint/rule.h"

namespace apf {

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

}  // namespace apf
