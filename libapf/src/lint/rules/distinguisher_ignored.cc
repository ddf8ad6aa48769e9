// APF223: a flow distinguisher for a level that doesn't separate flows.
#include <set>
#include <string>
#include <unordered_map>

#include <fmt/core.h>

#include "lint/fix_edits.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

// Who comes to a level, through all its FlowSchemas.
struct Users {
  std::set<std::string> named;
  bool crowd = false;
  bool several() const { return crowd || named.size() > 1; }
};

using UsersOfLevels = std::unordered_map<std::string_view, Users>;

UsersOfLevels users_of_levels(const Config& effective) {
  UsersOfLevels out;
  for (const FlowSchema& schema : effective.flow_schemas) {
    Users& users = out[schema.priority_level];
    for (const PolicyRule& rule : schema.rules) {
      for (const Subject& subject : rule.subjects) {
        if (is_crowd(subject)) users.crowd = true;
        else users.named.insert(only_user(subject));
      }
    }
  }
  return out;
}

const char* why_ignored(const LevelUse& level) {
  return level.exempt ? "is exempt and has no queues" : level.rejects ? "rejects instead of queueing" : "has one queue";
}

// Whoever distinguishes flows wants them parted. Where the level cannot, the fault is the level's.
void report_level(const PriorityLevel& level, const LevelUse& use, const FlowSchema& schema, Findings& findings) {
  const bool by_user = *schema.distinguisher_method == "ByUser";
  Diagnostic& d = findings.add(
      level, use.rejects ? "spec.limited.limitResponse.type" : "spec.limited.limitResponse.queuing.queues",
      fmt::format("the level {}, so {} of FlowSchema \"{}\" has no effect: any one {} can take all seats",
                  why_ignored(use), *schema.distinguisher_method, schema.meta.name, by_user ? "user" : "namespace"));
  d.notes.push_back(note_at(schema.meta, "spec.distinguisherMethod.type", "this asks for a flow for each of them"));
}

void check_distinguisher_ignored(const LintContext& context, Findings& findings) {
  const EffectiveLevels& levels = context.levels();
  const UsersOfLevels users = users_of_levels(context.effective);
  for (const FlowSchema* schema : own_schemas(context)) {
    const LevelUse* level = levels.find(schema->priority_level);
    if (!schema->distinguisher_method || !level || level->queues > 1) continue;
    const auto of_level = users.find(schema->priority_level);
    const bool wanted = !level->exempt && of_level != users.end() && of_level->second.several();
    const PriorityLevel* given = find_level(context.stored, schema->priority_level);
    if (wanted && given) {
      report_level(*given, *level, *schema, findings);
      continue;
    }
    Diagnostic& d = findings.add(*schema, "spec.distinguisherMethod.type",
                                 fmt::format("{} has no effect: the level \"{}\" {}", *schema->distinguisher_method,
                                             schema->priority_level, why_ignored(*level)));
    if (wanted) continue;
    offer_fix(d, "remove distinguisherMethod", false,
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
only one queue. Where several users share a given level that rejects or has one queue, the finding is at the level.)",
    .why = R"(Flows only decide in which queues a request may wait. Here they decide nothing, and the line promises a
fairness that the level doesn't provide.)",
    .example = R"(spec:
  priorityLevelConfiguration: {name: exempt}
  distinguisherMethod: {type: ByUser}
)",
    .instead = R"(Remove distinguisherMethod. If the users should be served in turn, give the level queues.)",
    .check = check_distinguisher_ignored,
};

}  // namespace apf
