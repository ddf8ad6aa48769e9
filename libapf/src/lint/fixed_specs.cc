#include "lint/fixed_specs.h"

#include <fmt/core.h>

#include "config/codes.h"
#include "config/maintenance.h"
#include "lint/given_levels.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

template <class Object>
void explain_fixed_spec(const Object* object, const Object* own, Diagnostic& finding) {
  if (!object || !own || !object->meta.source.tree) return;
  const std::vector<SpecChange> changes = spec_changes(*object, *own);
  if (changes.empty()) return;
  std::string words;
  for (const SpecChange& change : changes)
    words += (words.empty() ? "" : ", ") + (change.words.empty() ? change.field + " differs" : change.words);
  finding.message = fmt::format("{}: {}: {} ({})", finding.field, finding.type, finding.detail, words);
  finding.span = note_at(object->meta, changes.front().field, {}).span;
}

}  // namespace

void explain_fixed_specs(const Config& stored, const Config& builtins, std::vector<Diagnostic>& findings) {
  for (Diagnostic& finding : findings) {
    if (finding.code != kChangedMandatoryObject.code) continue;
    const std::string& name = finding.object_name;
    if (finding.kind == "FlowSchema")
      explain_fixed_spec(find_schema(stored, name), find_schema(builtins, name), finding);
    else explain_fixed_spec(find_level(stored, name), find_level(builtins, name), finding);
  }
}

}  // namespace apf
