// APF830: more than one exempt priority.
#include <fmt/format.h>

#include "lint/kep_tests.h"

namespace apf {

namespace {

void check(const LintContext& context, Findings& findings) {
  const PriorityLevel* first = nullptr;
  for (const PriorityLevel& level : context.stored.priority_levels) {
    if (level.limited) continue;
    if (!first) {
      first = &level;
      continue;
    }
    Diagnostic& d =
        findings.add(level, "spec.exempt",
                     fmt::format("RequestPriority \"{}\" is exempt, too; there should be one", first->meta.name));
    d.notes.push_back(note_at(first->meta, "spec.exempt", "it stands here"));
  }
}

}  // namespace

extern const Rule rule_kep_several_exempt = {
    {"APF830", "kep-several-exempt", Severity::warning, "several priorities are exempt",
     "More than one RequestPriority has exempt: true.",
     "What is exempt has no limits and no queues: two such priorities do the same. v1 has one.",
     R"(kind: RequestPriority
meta: {name: system-top}
spec: {exempt: true}
---
kind: RequestPriority
meta: {name: admins}
spec: {exempt: true}
)",
     "Let the FlowSchemas of both lead to one."},
    check};

}  // namespace apf
