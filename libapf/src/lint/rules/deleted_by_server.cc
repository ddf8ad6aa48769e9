// APF505: an object that looks to the server like one that used to be built in.
#include "lint/autoupdate.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

template <class Object>
void check_deleted(const Object& object, const Object* built_in, Findings& findings) {
  if (built_in || is_former_built_in(object.meta.name) || autoupdate(object.meta) != true) return;
  Diagnostic& d =
      findings.add(object, kAutoupdateField,
                   "the server will delete this object: the annotation marks it as one that used to be built in");
  offer_fix(d, "remove the annotation", false, remove_with_empty_mapping(*object.meta.source.tree, kAutoupdateField));
}

void check_deleted_by_server(const LintContext& context, Findings& findings) {
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    check_deleted(schema, find_schema(context.builtins, schema.meta.name), findings);
  }
  for (const PriorityLevel& level : context.stored.priority_levels) {
    check_deleted(level, find_level(context.builtins, level.meta.name), findings);
  }
}

}  // namespace

extern const Rule rule_deleted_by_server = {
    .code = "APF505",
    .name = "deleted-by-server",
    .severity = Severity::warning,
    .group = RuleGroup::versions,
    .summary = "the server will delete an object of yours because of its annotation",
    .what = R"(An object whose name isn't built into the release has the annotation apf.kubernetes.io/autoupdate-spec
with a true value, as a copy of a built-in object does.)",
    .why = "By this annotation the server recognizes objects that were built into earlier releases. It deletes them.",
    .example = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: ci
  annotations:
    apf.kubernetes.io/autoupdate-spec: "true"
)",
    .instead = "Remove the annotation.",
    .check = check_deleted_by_server,
};

}  // namespace apf
