// APF223: a flow distinguisher for a level that doesn't separate flows.
#include <fmt/core.h>

#include "lint/fix_edits.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

void check_distinguisher_ignored(const LintContext& context, Findings& findings) {
  const EffectiveLevels levels(context);
  for (const FlowSchema* schema : own_schemas(context)) {
    const LevelUse* level = levels.find(schema->priority_level);
    if (!schema->distinguisher_method || !level || level->queues > 1) continue;
    const char* why = level->exempt    ? "is exempt and has no queues"
                      : level->rejects ? "rejects instead of queueing"
                                       : "has one queue";
    Diagnostic& d = findings.add(*schema, "spec.distinguisherMethod.type",
                                 fmt::format("{} has no effect: the level \"{}\" {}", *schema->distinguisher_method,
                                             schema->priority_level, why));
    offer_fix(d, "remove distinguisherMethod", true,
              remove_field(*schema->meta.source.tree, "spec.distinguisherMethod"));
  }
}

}  // namespace

extern const Rule rule_distinguisher_ignored = {
    .code = "APF223",
    .name = "distinguisher-ignored",
    .severity = Severity::info,
    .group = RuleGroup::precedence,
    .summary = "a distinguisherMethod on a level without queues",
    .what = R"(A FlowSchema has a distinguisherMethod, but its level is exempt, rejects instead of queueing, or has
only one queue.)",
    .why = R"(Flows only decide in which queues a request may wait. Here they decide nothing, and the line promises a
fairness that the level doesn't provide.)",
    .example = R"(spec:
  priorityLevelConfiguration: {name: exempt}
  distinguisherMethod: {type: ByUser}
)",
    .instead = "Remove distinguisherMethod.",
    .check = check_distinguisher_ignored,
};

}  // namespace apf
