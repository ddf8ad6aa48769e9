// APF222: many users who share one flow.
#include <algorithm>

#include <fmt/core.h>

#include "lint/given_schemas.h"

namespace apf {

namespace {

void check_no_distinguisher(const LintContext& context, Findings& findings) {
  const EffectiveLevels& levels = context.levels();
  for (const FlowSchema* schema : own_schemas(context)) {
    const LevelUse* level = levels.spreading(*schema);
    if (schema->distinguisher_method || !level) continue;
    for (std::size_t i = 0; i < schema->rules.size(); ++i) {
      const std::vector<Subject>& subjects = schema->rules[i].subjects;
      const auto crowd = std::find_if(subjects.begin(), subjects.end(), is_crowd);
      if (crowd == subjects.end()) continue;
      const std::string field = subject_field(i, static_cast<std::size_t>(crowd - subjects.begin()));
      Diagnostic& d = findings.add(
          *schema, "spec",
          fmt::format("without a distinguisherMethod all users are one flow: any one of them can fill the {} of {} "
                      "queues that they share",
                      level->hand_size, level->queues));
      d.notes.push_back(note_at(schema->meta, field, fmt::format("{} is more than one user", to_words(*crowd))));
      break;
    }
  }
}

}  // namespace

extern const Rule rule_no_distinguisher = {
    .code = "APF222",
    .name = "no-distinguisher-many-users",
    .severity = Severity::warning,
    .group = RuleGroup::precedence,
    .summary = "many users share one flow",
    .what = R"(A FlowSchema whose subjects are groups, or all service accounts of a namespace, has no
distinguisherMethod. Its level has more than one queue.)",
    .why = R"(Queues are shared fairly between flows. If all users are one flow, the user who sends the most gets the
most. The others wait in the same few queues, while the level's other queues stay empty.)",
    .example = R"(spec:
  priorityLevelConfiguration: {name: workload-low}
  rules:
  - subjects:
    - kind: Group
      group: {name: developers}
)",
    .instead = R"(spec:
  distinguisherMethod: {type: ByUser}
)",
    .check = check_no_distinguisher,
};

}  // namespace apf
