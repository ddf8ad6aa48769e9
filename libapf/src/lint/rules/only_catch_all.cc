// APF121: requests that are left to catch-all.
#include <fmt/core.h>

#include "lint/reach/text.h"

namespace apf {

namespace {

// With the release's own objects nothing is left: only who replaced these can have made a gap.
const FlowSchema* replaced_schema(const LintContext& context) {
  const FlowSchema* found = nullptr;
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    if (is_stock(schema)) continue;
    if (schema.meta.name == "global-default") return &schema;
    if (schema.meta.name == "service-accounts") found = &schema;
  }
  return found;
}

void check_only_catch_all(const LintContext& context, Findings& findings) {
  const FlowSchema* schema = replaced_schema(context);
  if (!schema) return;
  const std::vector<Witness> gaps = context.reach().gaps();
  if (gaps.empty()) return;
  Diagnostic& d = findings.add(*schema, "metadata.name",
                               "with this object in place of the built-in one, some requests match only catch-all");
  d.witness = gaps.front().command;
  for (std::size_t i = 1; i < gaps.size(); ++i) d.notes.push_back({fmt::format("another: {}", gaps[i].command), {}});
}

}  // namespace

extern const Rule rule_only_catch_all = {
    .code = "APF121",
    .name = "only-catch-all",
    .severity = Severity::info,
    .group = RuleGroup::dangling,
    .summary = "some requests match only catch-all",
    .what = R"(A given object replaces the built-in global-default or service-accounts and matches less than the
original, so that some requests of authenticated users, service accounts or anonymous clients match no FlowSchema but
catch-all.)",
    .why = R"(catch-all is the last resort: its level has few seats and no queues, and rejects what it can't serve at
once.)",
    .example = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: global-default}
spec:
  matchingPrecedence: 9900
  priorityLevelConfiguration: {name: global-default}
  rules:
  - subjects:
    - {kind: Group, group: {name: system:authenticated}}
    resourceRules:
    - {verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"]}
)",
    .instead = R"(Add your own FlowSchema for the rest, or leave global-default as it is and put your FlowSchema
before it.)",
    .check = check_only_catch_all,
};

}  // namespace apf
