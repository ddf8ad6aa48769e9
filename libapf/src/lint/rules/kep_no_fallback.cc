// APF828: the FlowSchemas do not match every request.
#include "config/kep/validate.h"
#include "lint/kep/tests.h"

namespace apf {

namespace {

void check_kep_no_fallback(const LintContext& context, Findings& findings) {
  if (all_requests_match(context.effective)) return;
  const std::vector<const FlowSchema*> given = kep_schemas(context);
  if (given.empty()) return;
  const FlowSchema* const last = given.back();
  Diagnostic& d = findings.add(*last, "meta.name",
                               "this FlowSchema, the last, and those before it don't match every request: the rest "
                               "goes to the backstops");
  for (const FlowSchema& schema : context.effective.flow_schemas) {
    if (schema.kep->backstop && schema.distinguisher_method)
      d.notes.push_back({"the backstop uses RequestPriority \"" + schema.priority_level + "\"", {}});
  }
}

}  // namespace

extern const Rule rule_kep_no_fallback = {
    .code = "APF828",
    .name = "kep-no-fallback",
    .severity = Severity::warning,
    .group = RuleGroup::kep,
    .dialect = RuleDialect::kep,
    .summary = "the FlowSchemas don't match every request",
    .what = R"(There are requests that no FlowSchema, given or created, matches. KEP-1040 calls that a configuration
error.)",
    .why = R"(Requests that no FlowSchema matches aren't lost: those of system:masters become exempt, all others go to
the priority with catchAll: true. But nothing in the configuration says that they should.)",
    .example = R"(kind: FlowSchema
meta: {name: nodes}
spec:
  requestPriority: {name: system-high}
  match:
  - and:
    - superSet: {field: groups, set: [system:nodes]}
)",
    .instead = R"(kind: FlowSchema
meta: {name: everything}
spec:
  matchingPrecedence: 9999
  requestPriority: {name: workload-low}
  flowDistinguisher: {source: user}
  match:
  - and: []
)",
    .check = check_kep_no_fallback,
};

}  // namespace apf
