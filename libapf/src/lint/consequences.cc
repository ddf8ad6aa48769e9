#include "lint/consequences.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "config/codes.h"
#include "config/schema.h"

namespace apf {

namespace {

constexpr std::string_view kUnreachable = "APF110", kTie = "APF120", kCatchesComponents = "APF203",
                           kNoDistinguisher = "APF222", kCollision = "APF401", kScopeMismatch = "APF217",
                           kMissingClusterScope = "APF227", kMisspelt = "APF228", kMissingNamespaces = "APF232";

using SchemaNames = std::set<std::string, std::less<>>;

SchemaNames schemas_with(const std::vector<Diagnostic>& findings, std::string_view code) {
  SchemaNames out;
  for (const Diagnostic& d : findings) {
    if (d.code == code && d.kind == kFlowSchemaKind) out.insert(d.object_name);
  }
  return out;
}

// Do some FlowSchemas lead to the level, all of which get no request?
bool is_idle(const LintContext& context, const std::string& level, const SchemaNames& unreachable) {
  bool used = false;
  for (const FlowSchema& schema : context.effective.flow_schemas) {
    if (schema.priority_level != level) continue;
    if (!unreachable.contains(schema.meta.name)) return false;
    used = true;
  }
  return used;
}

bool is_with_built_in(const Diagnostic& tie) {
  return std::any_of(tie.notes.begin(), tie.notes.end(),
                     [](const Note& note) { return note.message.ends_with("is built in"); });
}

// "namespace: …" in a rule of resources: what the rule matches without namespaces nobody meant.
bool has_misspelt_scope(const LintContext& context, const Diagnostic& d) {
  if (d.code != kScopeMismatch && d.code != kMissingClusterScope && d.code != kMissingNamespaces) return false;
  return std::any_of(
      context.loaded.diagnostics.begin(), context.loaded.diagnostics.end(), [&](const Diagnostic& unknown) {
        if (unknown.code != kUnknownField.code || unknown.notes.empty() || unknown.object_name != d.object_name)
          return false;
        const std::string& note = unknown.notes.front().message;
        const bool scope = note.find("\"namespaces\"") != note.npos || note.find("\"clusterScope\"") != note.npos;
        return scope && d.field.starts_with(unknown.field.substr(0, unknown.field.rfind('.') + 1));
      });
}

// A subject that is named otherwise than meant: what other rules say of it they say of a name that is not there.
std::string subject_of(const Diagnostic& d) {
  const std::size_t at = d.field.find("subjects[");
  if (d.kind != kFlowSchemaKind || at == d.field.npos) return {};
  return d.object_name + " " + d.field.substr(0, d.field.find(']', at));
}

}  // namespace

void drop_consequences(const LintContext& context, std::vector<Diagnostic>& findings) {
  const SchemaNames unreachable = schemas_with(findings, kUnreachable);
  const SchemaNames catching = schemas_with(findings, kCatchesComponents);
  std::set<std::string> misnamed;
  for (const Diagnostic& d : findings)
    if (d.code == kMisspelt && d.severity == Severity::warning) misnamed.insert(subject_of(d));
  misnamed.erase(std::string());  // what names a namespace elsewhere than in a subject
  std::erase_if(findings, [&](const Diagnostic& d) {
    if (d.code != kMisspelt && misnamed.contains(subject_of(d))) return true;
    if (d.code == kCollision) return is_idle(context, d.object_name, unreachable);
    const bool idle = unreachable.contains(d.object_name);
    return has_misspelt_scope(context, d) || (d.code == kNoDistinguisher && idle) ||
           (d.code == kTie && (idle || (catching.contains(d.object_name) && is_with_built_in(d))));
  });
}

void drop_members_of_unknown_types(std::vector<Diagnostic>& findings) {
  using Place = std::tuple<std::string_view, std::string_view, int, std::string_view>;
  std::set<Place> unknown;  // type, of the object in the document of the file
  const auto place = [](const ConfigCode& type, const Diagnostic& d) {
    return Place{type.code, d.span.file, d.document, d.object_name};
  };
  std::vector<Diagnostic> all = std::move(findings);
  for (const Diagnostic& d : all)
    for (const ConfigCode* type : {&kInvalidLevelType, &kInvalidLimitResponse})
      if (d.code == type->code) unknown.insert(place(*type, d));
  findings.clear();
  for (const Diagnostic& d : all) {
    const bool follows = (d.code == kMismatchedStanza.code && unknown.contains(place(kInvalidLevelType, d))) ||
                         (d.code == kMismatchedQueuing.code && unknown.contains(place(kInvalidLimitResponse, d)));
    if (!follows) findings.push_back(d);
  }
}

void name_missing_separators(std::vector<Diagnostic>& findings) {
  using Object = std::tuple<std::string, int, std::string>;
  const auto object_of = [](const Diagnostic& d) { return Object{d.span.file, d.document, d.object_name}; };
  std::set<Object> kinds, mixed;
  for (const Diagnostic& d : findings)
    if (d.code == kDuplicateField.code && d.field == "kind") kinds.insert(object_of(d));
  for (Diagnostic& d : findings) {
    if (d.code != kDuplicateField.code || d.field != "apiVersion" || !kinds.contains(object_of(d))) continue;
    mixed.insert(object_of(d));
    d.message =
        "\"---\" is missing before this object: with the keys of the one before it, it is one mapping, and that "
        "one is lost";
    d.notes = {{"write --- on a line of its own before it", {}}};
  }
  std::erase_if(findings, [&](const Diagnostic& d) {
    return mixed.contains(object_of(d)) && (d.code != kDuplicateField.code || d.field != "apiVersion");
  });
}

}  // namespace apf
