// APF101: a FlowSchema that names a level nobody has.
#include <fmt/core.h>

#include <unordered_set>

#include "config/closest.h"
#include "config/validate_names.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

constexpr const char* kLevelReferenceField = "spec.priorityLevelConfiguration.name";

void check_dangling_level(const LintContext& context, Findings& findings) {
  std::vector<std::string_view> levels;
  for (const PriorityLevel& level : context.effective.priority_levels) levels.push_back(level.meta.name);
  // One that is given with errors will be there.
  levels.insert(levels.end(), context.broken.levels.begin(), context.broken.levels.end());
  const std::unordered_set<std::string_view> known(levels.begin(), levels.end());
  std::set<std::string_view> given;
  for (const PriorityLevel& level : context.stored.priority_levels) given.insert(level.meta.name);
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    // Without any name the server refuses the object.
    if (schema.priority_level.empty()) continue;
    if (known.contains(schema.priority_level)) {
      if (context.options.renamed && given.contains(schema.priority_level))
        findings.add(
            schema, kLevelReferenceField,
            fmt::format("the kustomization changes the name of PriorityLevelConfiguration \"{}\", and not this "
                        "reference: the server ignores this FlowSchema",
                        schema.priority_level));
      continue;
    }
    if (context.broken.has_unread_level) continue;  // it may be the one
    Diagnostic& d = findings.add(schema, kLevelReferenceField,
                                 fmt::format("no PriorityLevelConfiguration \"{}\" is given or built in: "
                                             "the server ignores this FlowSchema",
                                             schema.priority_level));
    const std::string_view near = closest(schema.priority_level, levels);
    if (near.empty() || !dns_subdomain_faults(near).empty()) continue;
    d.notes.push_back({did_you_mean(near), {}});
    offer_fix(d, fmt::format("replace it with \"{}\"", near), false,
              replace_scalar(*schema.meta.source.tree, kLevelReferenceField, near));
  }
}

}  // namespace

extern const Rule rule_dangling_level = {
    .code = "APF101",
    .name = "dangling-level",
    .severity = Severity::warning,
    .group = RuleGroup::dangling,
    .summary = "a FlowSchema names a priority level that does not exist",
    .what = R"(spec.priorityLevelConfiguration.name names a PriorityLevelConfiguration that is neither among the given
objects nor built into the release; or it names one of which a kustomization changes the name, by namePrefix or
nameSuffix.)",
    .why = R"(The server stores such a FlowSchema, marks it as dangling and ignores it. Its requests go to the next
FlowSchema that matches, often global-default or catch-all.)",
    .example = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: ci
spec:
  priorityLevelConfiguration:
    name: workload-lo
)",
    .instead = "Use the name of an existing level, or pass the PriorityLevelConfiguration to the same run of apfctl.",
    .check = check_dangling_level,
};

}  // namespace apf
