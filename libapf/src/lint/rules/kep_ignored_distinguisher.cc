// APF820: a flow distinguisher where there are no flows to distinguish.
#include <fmt/core.h>

#include "lint/fix_edits.h"
#include "lint/kep/tests.h"

namespace apf {

namespace {

void check_kep_ignored_distinguisher(const LintContext& context, Findings& findings) {
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    const PriorityLevel* level = schema.distinguisher_method ? kep_priority(context, schema) : nullptr;
    if (!level) continue;
    const bool exempt = !level->limited;
    if (!exempt && level->limited->queuing->queues > 1) continue;
    Diagnostic& d =
        findings.add(schema, "spec.flowDistinguisher",
                     fmt::format("a flow distinguisher isn't allowed here: RequestPriority \"{}\" {}; it is ignored",
                                 schema.priority_level, exempt ? "is exempt" : "has one queue"));
    if (is_given(level->meta))
      d.notes.push_back(note_at(level->meta, exempt ? "spec.exempt" : "spec.queues", "it is configured here"));
    if (std::vector<Edit> edits = remove_field(*schema.meta.source.tree, "spec.flowDistinguisher"); !edits.empty())
      d.fix = Fix{"remove it", false, std::move(edits)};
  }
}

}  // namespace

extern const Rule rule_kep_ignored_distinguisher = {
    .code = "APF820",
    .name = "kep-ignored-distinguisher",
    .severity = Severity::warning,
    .group = RuleGroup::kep,
    .dialect = RuleDialect::kep,
    .summary = "a flow distinguisher for a priority that has no flows",
    .what = R"(The FlowSchema has a flowDistinguisher, but its RequestPriority is exempt or has only one queue.
KEP-1040 doesn't allow it (although its own example does it twice).)",
    .why = "Flows only matter where they choose queues. Here the distinguisher has no effect, and misleads readers.",
    .example = R"(kind: RequestPriority
meta: {name: system-low}
spec: {catchAll: true, assuredConcurrencyShares: 30, queues: 1, queueLengthLimit: 1000}
---
kind: FlowSchema
meta: {name: gc}
spec:
  requestPriority: {name: system-low}
  flowDistinguisher: {source: user}
  match:
  - and: []
)",
    .instead = "Remove flowDistinguisher, or give the priority several queues.",
    .check = check_kep_ignored_distinguisher,
};

}  // namespace apf
