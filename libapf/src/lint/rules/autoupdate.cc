// APF504 to APF506: what the server's upkeep of its own objects does to the given ones.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "lint/fix_edits.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

constexpr const char* kAnnotation = "apf.kubernetes.io/autoupdate-spec";
const std::string kAnnotationField = fmt::format("metadata.annotations[{}]", kAnnotation);

// Go's ParseBool, by which the server reads the annotation.
std::optional<bool> parse_bool(std::string_view text) {
  constexpr std::string_view kTrue[] = {"1", "t", "T", "TRUE", "true", "True"}, kFalse[] = {"0", "f", "F", "FALSE", "false", "False"};
  if (std::find(std::begin(kTrue), std::end(kTrue), text) != std::end(kTrue)) return true;
  if (std::find(std::begin(kFalse), std::end(kFalse), text) != std::end(kFalse)) return false;
  return std::nullopt;
}

std::optional<bool> autoupdate(const ObjectMeta& meta) {
  for (const auto& [key, value] : meta.annotations) {
    if (key == kAnnotation) return parse_bool(value);
  }
  return std::nullopt;
}

bool has_annotation(const ObjectMeta& meta) {
  return std::any_of(meta.annotations.begin(), meta.annotations.end(), [](const auto& a) { return a.first == kAnnotation; });
}

// A manifest has no generation; an object that was read from a cluster has.
bool was_edited(const ObjectMeta& meta) {
  const FieldPosition position = find_field(*meta.source.tree, "metadata.generation");
  return position.exact && position.value && position.value->integer().value_or(1) > 1;
}

bool is_mandatory(std::string_view name) { return name == "exempt" || name == "catch-all"; }

// Built in up to 1.33.
bool is_former_built_in(std::string_view name) { return name == "workload-leader-election" || name == "endpoint-controller"; }

template <class Object>
void check_overwritten(const Object& object, const Object* built_in, Findings& findings) {
  if (!built_in || is_mandatory(object.meta.name) || equal_specs(object, *built_in)) return;
  const std::optional<bool> updates = autoupdate(object.meta);
  if (updates == false || (!updates && was_edited(object.meta))) return;
  if (has_annotation(object.meta)) {
    Diagnostic& d = findings.add(object, kAnnotationField, "the server maintains this object and puts its own spec back within minutes");
    offer_fix(d, "set it to \"false\"", false, replace_scalar(*object.meta.source.tree, kAnnotationField, "false"));
    return;
  }
  Diagnostic& d = findings.add(object, "metadata.name",
                               "this is an object of the server's own, which puts its spec back unless an annotation tells it not to");
  d.notes.push_back({fmt::format("the annotation is {}: \"false\"", kAnnotation), {}});
  offer_fix(d, fmt::format("add {}: \"false\"", kAnnotation), false,
            insert_after(*object.meta.source.tree, object.meta.annotations.empty() ? std::string() : "metadata.annotations[" + object.meta.annotations.back().first + "]",
                         kAnnotation, "false"));
}

void check_all_overwritten(const LintContext& context, Findings& findings) {
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    check_overwritten(schema, find_schema(context.builtins, schema.meta.name), findings);
  }
  for (const PriorityLevel& level : context.stored.priority_levels) {
    check_overwritten(level, find_level(context.builtins, level.meta.name), findings);
  }
}

template <class Object>
void check_deleted(const Object& object, const Object* built_in, Findings& findings) {
  if (built_in || is_former_built_in(object.meta.name) || autoupdate(object.meta) != true) return;
  Diagnostic& d = findings.add(object, kAnnotationField,
                               "the server deletes this object: with this annotation it takes it for one of its own that is no longer built in");
  offer_fix(d, "remove the annotation", false, remove_field(*object.meta.source.tree, kAnnotationField));
}

void check_all_deleted(const LintContext& context, Findings& findings) {
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    check_deleted(schema, find_schema(context.builtins, schema.meta.name), findings);
  }
  for (const PriorityLevel& level : context.stored.priority_levels) {
    check_deleted(level, find_level(context.builtins, level.meta.name), findings);
  }
}

void check_former(const LintContext& context, Findings& findings) {
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    if (!is_former_built_in(schema.meta.name) || find_schema(context.builtins, schema.meta.name)) continue;
    const bool deleted = autoupdate(schema.meta) == true;
    Diagnostic& d = findings.add(schema, "metadata.name",
                                 fmt::format("the FlowSchema \"{}\" is no longer built in since Kubernetes 1.34{}", schema.meta.name,
                                             deleted ? ", and with its annotation the server deletes it"
                                                     : ": from there on this one is yours to maintain"));
    d.notes.push_back({"leader election of kube-system goes by leases, which system-leader-election takes", {}});
    if (!deleted) d.severity = Severity::info;
  }
}

}  // namespace

extern const Rule rule_overwritten_built_in = {
    {"APF504", "overwritten-built-in", Severity::warning, "the server will undo a change of one of its suggested objects",
     "An object has the name of a suggested one (system-nodes, service-accounts, workload-low, …) and another spec than the "
     "release gives it, and its annotation apf.kubernetes.io/autoupdate-spec is not \"false\".",
     "The server looks after its suggested objects. Where the annotation is true, or is absent on an object that was created "
     "and never edited since, it puts its own spec back, after every start and every few minutes.",
     R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: workload-high
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 100
)",
     R"(metadata:
  name: workload-high
  annotations:
    apf.kubernetes.io/autoupdate-spec: "false"
)"},
    check_all_overwritten};

extern const Rule rule_deleted_by_server = {
    {"APF505", "deleted-by-server", Severity::warning, "an object of yours carries the annotation of the server's own",
     "An object whose name is not built into the release has the annotation apf.kubernetes.io/autoupdate-spec with a true "
     "value, as it does when it was copied from a built-in one.",
     "By this annotation the server recognises objects that earlier releases had built in. It deletes them.",
     R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: ci
  annotations:
    apf.kubernetes.io/autoupdate-spec: "true"
)",
     "Remove the annotation."},
    check_all_deleted};

extern const Rule rule_former_built_in = {
    {"APF506", "former-built-in", Severity::warning, "a FlowSchema is no longer built into the release",
     "A FlowSchema is named workload-leader-election or endpoint-controller, and the release is 1.34 or later. Unless the "
     "annotation apf.kubernetes.io/autoupdate-spec is true, in which case the server deletes it, the finding is of severity "
     "info.",
     "They covered leader election by endpoints and configmaps, which no component uses any more. A copy in a repository "
     "suggests that something is taken care of by the server.",
     R"(metadata:
  name: endpoint-controller
  annotations:
    apf.kubernetes.io/autoupdate-spec: "true"
)",
     "Delete it, or keep it under a name of your own and without the annotation."},
    check_former};

}  // namespace apf
