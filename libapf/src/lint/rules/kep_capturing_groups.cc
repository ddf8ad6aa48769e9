// APF821: a flow distinguisher's pattern that captures nothing, or more than is used.
#include <fmt/format.h>

#include "config/kep/kep_pattern.h"
#include "lint/kep_tests.h"

namespace apf {

namespace {

void check(const LintContext& context, Findings& findings) {
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    if (!schema.kep->transformation) continue;
    const int groups = schema.kep->transformation->groups();
    if (groups == 1) continue;
    findings.add(
        schema, "spec.flowDistinguisher.pattern",
        groups == 0
            ? "this pattern has no capturing group: every request of the FlowSchema is of one flow"
            : fmt::format("this pattern has {} capturing groups, of which only the first is used; write (?: ) for the "
                          "others",
                          groups));
  }
}

}  // namespace

extern const Rule rule_kep_capturing_groups = {
    .code = "APF821",
    .name = "kep-capturing-groups",
    .severity = Severity::warning,
    .group = RuleGroup::kep,
    .dialect = RuleDialect::kep,
    .summary = "a flow distinguisher's pattern has no capturing group, or several",
    .what = "The transformation of a flow distinguisher is submatch 1 of a complete match.",
    .why = R"(Without a group all requests get the empty distinguisher and share one flow. With several, the others
are ignored.)",
    .example = R"(flowDistinguisher:
  source: user
  pattern: system:serviceaccount:.*
)",
    .instead = R"(flowDistinguisher:
  source: user
  pattern: system:serviceaccount:(.*):.*
)",
    .check = check,
};

}  // namespace apf
