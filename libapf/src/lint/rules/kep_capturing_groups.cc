// APF821: a flow distinguisher's pattern that captures nothing, or more than is used.
#include <fmt/core.h>

#include "config/kep/pattern.h"
#include "lint/kep/tests.h"

namespace apf {

namespace {

void check_kep_capturing_groups(const LintContext& context, Findings& findings) {
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    if (!schema.kep->transformation) continue;
    const int groups = schema.kep->transformation->groups();
    if (groups == 1) continue;
    findings.add(
        schema, "spec.flowDistinguisher.pattern",
        groups == 0
            ? "this pattern has no capturing group: all requests of the FlowSchema are one flow"
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
    .what = R"(The distinguisher of a request is what the first capturing group matches. The pattern must match the
whole value.)",
    .why = R"(Without a group, all requests have the empty distinguisher and are one flow. With several, only the
first counts.)",
    .example = R"(flowDistinguisher:
  source: user
  pattern: system:serviceaccount:.*
)",
    .instead = R"(flowDistinguisher:
  source: user
  pattern: system:serviceaccount:(.*):.*
)",
    .check = check_kep_capturing_groups,
};

}  // namespace apf
