// APF829: flows by namespace of requests that have none.
#include <fmt/core.h>

#include "lint/kep/tests.h"

namespace apf {

namespace {

// All fields about a resource are empty.
bool accepts_non_resource(const std::vector<KepTest>& tests) {
  for (const KepTest& test : tests) {
    const bool of_resource = test.field != KepField::user && test.field != KepField::groups &&
                             test.field != KepField::verb && test.field != KepField::path;
    if (of_resource && !holds_of(test, "")) return false;
  }
  return !contradiction(tests);
}

void check_kep_namespace_of_path(const LintContext& context, Findings& findings) {
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    if (schema.distinguisher_method != "ByNamespace") continue;
    const PriorityLevel* level = kep_priority(context, schema);
    if (!level || !level->limited || level->limited->queuing->queues < 2) continue;
    for (std::size_t list = 0; list < schema.kep->any_of.size(); ++list) {
      if (!accepts_non_resource(schema.kep->any_of[list])) continue;
      Diagnostic& d =
          findings.add(schema, "spec.flowDistinguisher.source",
                       "the FlowSchema matches non-resource requests: they have no namespace and are one flow");
      d.notes.push_back(note_at(schema.meta, kep_list_field(list), "this list matches them"));
      break;
    }
  }
}

}  // namespace

extern const Rule rule_kep_namespace_of_path = {
    .code = "APF829",
    .name = "kep-namespace-of-path",
    .severity = Severity::info,
    .group = RuleGroup::kep,
    .dialect = RuleDialect::kep,
    .summary = "flows are distinguished by namespace where requests may have none",
    .what = R"(The flow distinguisher's source is namespace, but the tests also accept requests that aren't for a
resource, such as get /healthz. KEP-1040 makes the namespace available only where they don't (although its own example
does it).)",
    .why = "All these requests are one flow, whoever sends them. So are all requests for objects without a namespace.",
    .example = R"(flowDistinguisher: {source: namespace}
match:
- and:
  - superSet: {field: groups, set: [devs]}
)",
    .instead = R"(match:
- and:
  - superSet: {field: groups, set: [devs]}
  - notEquals: {field: namespace, value: ""}
)",
    .check = check_kep_namespace_of_path,
};

}  // namespace apf
