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
  constexpr std::string_view kTrue[] = {"1", "t", "T", "TRUE", "true", "True"},
                             kFalse[] = {"0", "f", "F", "FALSE", "false", "False"};
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
  return std::any_of(meta.annotations.begin(), meta.annotations.end(),
                     [](const auto& a) { return a.first == kAnnotation; });
}

// A manifest has no generation; an object that was read from a cluster has.
bool was_edited(const ObjectMeta& meta) {
  const FieldPosition position = find_field(*meta.source.tree, "metadata.generation");
  return position.exact && position.value && position.value->integer().value_or(1) > 1;
}

bool is_mandatory(std::string_view name) { return name == "exempt" || name == "catch-all"; }

// Built in up to 1.33.
bool is_former_built_in(std::string_view name) {
  return name == "workload-leader-election" || name == "endpoint-controller";
}

template <class Object>
void check_overwritten(const Object& object, const Object* built_in, Findings& findings) {
  if (!built_in || is_mandatory(object.meta.name) || equal_specs(object, *built_in)) return;
  const std::optional<bool> updates = autoupdate(object.meta);
  if (updates == false || (!updates && was_edited(object.meta))) return;
  if (has_annotation(object.meta)) {
    Diagnostic& d = findings.add(
        object, kAnnotationField,
        "the server maintains this object, whose spec differs from its own, and puts its own back within minutes");
    offer_fix(d, "set it to \"false\"", false, replace_scalar(*object.meta.source.tree, kAnnotationField, "false"));
    return;
  }
  Diagnostic& d = findings.add(
      object, "metadata.name",
      fmt::format("\"{}\" is an object of the server's own: it puts its own spec back unless an annotation forbids it",
                  object.meta.name));
  d.notes.push_back({fmt::format("the annotation is {}: \"false\"", kAnnotation), {}});
  const ConfigNode& root = *object.meta.source.tree;
  const bool has_annotations = find_field(root, "metadata.annotations").exact;
  if (has_annotations && object.meta.annotations.empty()) return;  // null or {}
  offer_fix(d, fmt::format("add {}: \"false\"", kAnnotation), false,
            !has_annotations ? insert_mapping_after(root, "metadata.name", "annotations", kAnnotation, "false")
                             : insert_after(root, "metadata.annotations[" + object.meta.annotations.back().first + "]",
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
  Diagnostic& d = findings.add(
      object, kAnnotationField,
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

// The rule for the locks that system-leader-election had in early releases; nothing if it has none.
std::optional<std::string> rule_of_old_locks(const FlowSchema& schema) {
  for (std::size_t i = 0; i < schema.rules.size(); ++i) {
    for (std::size_t j = 0; j < schema.rules[i].resource_rules.size(); ++j) {
      const ResourceRule& rule = schema.rules[i].resource_rules[j];
      const auto is_old_lock = [](const std::string& resource) {
        return resource == "endpoints" || resource == "configmaps";
      };
      if (holds(rule.api_groups, "") && !rule.resources.empty() &&
          std::all_of(rule.resources.begin(), rule.resources.end(), is_old_lock)) {
        return resource_rule_field(i, j);
      }
    }
  }
  return std::nullopt;
}

constexpr const char* kLocksNote =
    "system components elect their leaders by leases, which the built-in system-leader-election takes";

void check_former(const LintContext& context, Findings& findings) {
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    if (schema.meta.name == "system-leader-election") {
      const std::optional<std::string> field = rule_of_old_locks(schema);
      if (!field) continue;
      Diagnostic& d = findings.add(
          schema, *field,
          "the built-in system-leader-election no longer has this rule: this is a copy of an early release's");
      d.notes.push_back({kLocksNote, {}});
      d.severity = Severity::info;
      continue;
    }
    if (!is_former_built_in(schema.meta.name) || find_schema(context.builtins, schema.meta.name)) continue;
    const bool deleted = autoupdate(schema.meta) == true;
    Diagnostic& d =
        findings.add(schema, "metadata.name",
                     fmt::format("the FlowSchema \"{}\" is not built in from Kubernetes 1.34 on: {}", schema.meta.name,
                                 deleted ? "by its annotation the server takes it for its own and deletes it"
                                         : "the server no longer looks after it"));
    d.notes.push_back({kLocksNote, {}});
    if (!deleted) d.severity = Severity::info;
  }
}

}  // namespace

extern const Rule rule_overwritten_built_in = {
    {"APF504", "overwritten-built-in", Severity::warning,
     "the server will undo a change of one of its suggested objects",
     "An object has the name of a suggested one (system-nodes, service-accounts, workload-low, …) and another spec "
     "than the "
     "release gives it, and its annotation apf.kubernetes.io/autoupdate-spec is not \"false\".",
     "The server looks after its suggested objects. Where the annotation is true, or is absent on an object that was "
     "created "
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
     "An object whose name is not built into the release has the annotation apf.kubernetes.io/autoupdate-spec with a "
     "true "
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
    {"APF506", "former-built-in", Severity::warning,
     "a FlowSchema, or a rule of it, is no longer built into the release",
     "A FlowSchema is named workload-leader-election or endpoint-controller, and the release is 1.34 or later; or one "
     "named "
     "system-leader-election has a rule for endpoints or configmaps, as it had in early releases. Unless the "
     "annotation "
     "apf.kubernetes.io/autoupdate-spec of one that is gone is true, in which case the server deletes it, the finding "
     "is of "
     "severity info.",
     "They covered leader election by endpoints and configmaps, which no system component uses any more. A copy in a "
     "repository suggests that the server takes care of something, and it does not.",
     R"(metadata:
  name: endpoint-controller
  annotations:
    apf.kubernetes.io/autoupdate-spec: "true"
)",
     "Delete it, or keep it under a name of your own and without the annotation."},
    check_former};

}  // namespace apf
