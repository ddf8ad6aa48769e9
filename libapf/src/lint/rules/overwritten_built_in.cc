// APF504: a changed built-in object, which the server will restore.
#include <fmt/core.h>

#include "lint/autoupdate.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

bool is_mandatory(std::string_view name) { return name == "exempt" || name == "catch-all"; }

template <class Object>
void check_overwritten(const Object& object, const Object* built_in, Findings& findings) {
  if (!built_in || is_mandatory(object.meta.name) || equal_specs(object, *built_in)) return;
  if (!is_restored(object.meta)) return;
  if (has_autoupdate(object.meta)) {
    const bool is_boolean = autoupdate(object.meta).has_value();
    Diagnostic& d = findings.add(
        object, kAutoupdateField,
        is_boolean
            ? "the server maintains this object and will restore its own spec, which is different, within minutes"
            : "this value is not a boolean and counts as missing: the server restores its own spec, which is "
              "different, "
              "while metadata.generation is 1");
    if (!is_boolean)
      d.notes.push_back(
          {"the generation is 1 if this manifest creates the object, and higher once its spec was changed", {}});
    offer_fix(d, "set it to \"false\"", false, forbid_autoupdate(object.meta));
    return;
  }
  const std::vector<SpecChange> changes = spec_changes(object, *built_in);
  const std::string words = words_of(changes);
  Diagnostic& d = findings.add(
      object, changes.empty() ? "metadata.name" : changes.front().field,
      fmt::format("\"{}\" is one of the server's own objects: it restores its spec{} unless an annotation forbids that",
                  object.meta.name, words.empty() ? "" : " (" + words + ")"));
  d.notes.push_back({fmt::format("the annotation is {}: \"false\"", kAutoupdateAnnotation), {}});
  offer_fix(d, fmt::format("add {}: \"false\"", kAutoupdateAnnotation), false, forbid_autoupdate(object.meta));
}

void check_overwritten_built_in(const LintContext& context, Findings& findings) {
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    check_overwritten(schema, find_schema(context.builtins, schema.meta.name), findings);
  }
  for (const PriorityLevel& level : context.stored.priority_levels) {
    check_overwritten(level, find_level(context.builtins, level.meta.name), findings);
  }
}

}  // namespace

extern const Rule rule_overwritten_built_in = {
    .code = "APF504",
    .name = "overwritten-built-in",
    .severity = Severity::warning,
    .group = RuleGroup::versions,
    .summary = "the server will overwrite a changed built-in object",
    .what = R"(An object has the name of a suggested one (system-nodes, service-accounts, workload-low, …), but
another spec than the release gives it, and its annotation apf.kubernetes.io/autoupdate-spec isn't "false". An object
that was read from a cluster is reported without a true annotation only while its generation is 1.)",
    .why = R"(The server maintains its suggested objects. If the annotation is true, or is missing or no boolean on
an object whose generation is 1 (its spec was never changed since it was created), the server restores its own spec after every start and every few minutes.)",
    .example = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: workload-high
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 100
)",
    .instead = R"(metadata:
  name: workload-high
  annotations:
    apf.kubernetes.io/autoupdate-spec: "false"
)",
    .check = check_overwritten_built_in,
};

}  // namespace apf
