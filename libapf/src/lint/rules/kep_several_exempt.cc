// APF830: more than one exempt priority.
#include <fmt/core.h>

#include "lint/kep/tests.h"

namespace apf {

namespace {

void check_kep_several_exempt(const LintContext& context, Findings& findings) {
  const PriorityLevel* first = nullptr;
  for (const PriorityLevel& level : context.stored.priority_levels) {
    if (level.limited) continue;
    if (!first) {
      first = &level;
      continue;
    }
    Diagnostic& d =
        findings.add(level, "spec.exempt",
                     fmt::format("RequestPriority \"{}\" is exempt too; there should be only one", first->meta.name));
    d.notes.push_back(note_at(first->meta, "spec.exempt", "it stands here"));
  }
}

}  // namespace

extern const Rule rule_kep_several_exempt = {
    .code = "APF830",
    .name = "kep-several-exempt",
    .severity = Severity::warning,
    .group = RuleGroup::kep,
    .dialect = RuleDialect::kep,
    .summary = "several priorities are exempt",
    .what = "More than one RequestPriority has exempt: true.",
    .why = "Exempt requests have no limits and no queues, so two exempt priorities do the same. v1 has only one.",
    .example = R"(kind: RequestPriority
meta: {name: system-top}
spec: {exempt: true}
---
kind: RequestPriority
meta: {name: admins}
spec: {exempt: true}
)",
    .instead = "Let the FlowSchemas of both use one.",
    .check = check_kep_several_exempt,
};

}  // namespace apf
