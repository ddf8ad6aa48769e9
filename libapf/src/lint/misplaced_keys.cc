#include "lint/misplaced_keys.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "config/codes.h"
#include "config/schema.h"
#include "config/tree.h"
#include "lint/causes.h"
#include "lint/fix_edits.h"

namespace apf {

namespace {

// Words that people write for a field of the same owner.
struct Misnomer {
  std::string_view written, meant;
};
constexpr Misnomer kMisnomers[] = {{"queue", "queuing"}, {"queueing", "queuing"}, {"handShakeLength", "handSize"}};

const FieldSchema* field_named(const StructSchema& schema, std::string_view name) {
  const auto at = std::find_if(schema.fields.begin(), schema.fields.end(),
                               [&](const FieldSchema& field) { return field.name == name; });
  return at == schema.fields.end() ? nullptr : &*at;
}

// The fields at a path such as "spec.rules[0].resourceRules[1]"; null if nothing has such a path.
const StructSchema* struct_at(const StructSchema& root, std::string_view path) {
  const StructSchema* at = &root;
  while (at && !path.empty()) {
    const std::size_t end = std::min(path.find('.'), path.size());
    const std::string_view step = path.substr(0, end);
    const FieldSchema* field = field_named(*at, step.substr(0, step.find('[')));
    at = field ? field->fields : nullptr;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return at;
}

std::string owner_of(std::string_view field) {
  const std::size_t dot = field.rfind('.');
  return std::string(dot == field.npos ? std::string_view() : field.substr(0, dot));
}

std::string member_of(const std::string& owner, std::string_view name) {
  return owner.empty() ? std::string(name) : owner + "." + std::string(name);
}

// What an unknown field was meant to be; empty if nobody knows.
std::string meant_field(const Diagnostic& d, std::string_view name) {
  if (name == "assuredConcurrencyShares") return "nominalConcurrencyShares";
  if (name == "nominalConcurrencyShares") return "assuredConcurrencyShares";
  constexpr std::string_view kQuestion = "did you mean \"";
  for (const Note& note : d.notes) {
    if (!note.message.starts_with(kQuestion)) continue;
    const std::size_t end = note.message.find('"', kQuestion.size());
    return note.message.substr(kQuestion.size(), end - kQuestion.size());
  }
  return {};
}

// Where the key was meant to stand.
struct RightPlace {
  std::string field;  // "spec.type"
  std::string note;
  std::string title;
  std::vector<Edit> edits;
};

std::optional<RightPlace> renamed(const ConfigNode& root, const StructSchema& schema, const Diagnostic& d) {
  const std::string owner = owner_of(d.field), key = d.field.substr(owner.empty() ? 0 : owner.size() + 1);
  const auto known =
      std::find_if(std::begin(kMisnomers), std::end(kMisnomers), [&](const Misnomer& m) { return m.written == key; });
  std::string meant = known == std::end(kMisnomers) ? meant_field(d, key) : std::string(known->meant);
  const StructSchema* fields = struct_at(schema, owner);
  if (meant.empty() || !fields || !field_named(*fields, meant)) return std::nullopt;
  RightPlace out;
  out.field = member_of(owner, meant);
  if (find_field(root, out.field).exact) return std::nullopt;
  if (known != std::end(kMisnomers)) out.note = fmt::format("did you mean \"{}\"?", meant);
  out.title = fmt::format("rename it to \"{}\"", meant);
  out.edits = rename_key(root, d.field, meant);
  return out;
}

// The same key of the object around its own.
std::optional<RightPlace> moved_up(const ConfigNode& root, const StructSchema& schema, const Diagnostic& d) {
  const std::string owner = owner_of(d.field);
  if (owner.empty()) return std::nullopt;
  const std::string key = d.field.substr(owner.size() + 1), outer = owner_of(owner);
  const StructSchema* fields = struct_at(schema, outer);
  RightPlace out;
  out.field = member_of(outer, key);
  if (outer.empty() || !fields || !field_named(*fields, key) || find_field(root, out.field).exact) return std::nullopt;
  out.note = fmt::format("it belongs to {}, one level up", outer);
  const ConfigNode& value = *find_field(root, d.field).value;
  const std::string_view above = std::string_view(owner).substr(0, owner.find_last_of('['));
  if (!value.is_scalar() || owner.ends_with(']')) return out;
  std::vector<Edit> removed = remove_field(root, d.field);
  std::vector<Edit> added = insert_after(root, above, key, NewScalar(value.text()));
  if (removed.empty() || added.empty()) return out;
  out.title = fmt::format("move it to {}", outer);
  out.edits = std::move(added);
  out.edits.insert(out.edits.end(), removed.begin(), removed.end());
  return out;
}

// The same key of the only object within its own that knows it.
std::optional<RightPlace> moved_down(const ConfigNode& root, const StructSchema& schema, const Diagnostic& d) {
  const std::string owner = owner_of(d.field), key = d.field.substr(owner.empty() ? 0 : owner.size() + 1);
  const StructSchema* fields = struct_at(schema, owner);
  RightPlace out;
  for (const FieldSchema& field : fields ? fields->fields : std::span<const FieldSchema>()) {
    const std::string inner = member_of(owner, field.name);
    const bool knows = field.type == FieldType::object && field.fields && field_named(*field.fields, key);
    if (!knows || field.name == "status" || field.name == "metadata") continue;
    const bool stands = find_field(root, inner).exact && !find_field(root, member_of(inner, key)).exact;
    if (!out.field.empty() || (find_field(root, inner).exact && !stands)) return std::nullopt;
    out.field = member_of(inner, key);
    out.note = fmt::format("it belongs to {}, one level down", inner);
  }
  if (out.field.empty()) return std::nullopt;
  return out;
}

const StructSchema* schema_of(const Diagnostic& d) {
  if (d.kind == kFlowSchemaKind) return &flow_schema_schema();
  if (d.kind != kPriorityLevelKind) return nullptr;
  const std::string_view version = std::string_view(d.api_version).substr(d.api_version.find('/') + 1);
  const auto known = std::find(std::begin(kApiVersionNames), std::end(kApiVersionNames), version);
  return known == std::end(kApiVersionNames)
             ? nullptr
             : &priority_level_schema(static_cast<ApiVersion>(known - std::begin(kApiVersionNames)));
}

// Is it the finding that says that the field is missing, or has the value of one that is?
bool is_lack_of(const Diagnostic& d, const Diagnostic& key, const std::string& field) {
  const bool same = d.kind == key.kind && d.object_name == key.object_name && d.span.file == key.span.file &&
                    d.document == key.document && d.field == field;
  return same && (d.type == "Required value" || d.message.find("Unsupported value: \"\"") != std::string::npos);
}

}  // namespace

void place_keys(const LoadedConfig& loaded, std::vector<Diagnostic>& findings) {
  for (std::size_t i = 0; i < findings.size(); ++i) {
    Diagnostic& d = findings[i];
    const StructSchema* schema = d.code == kUnknownField.code ? schema_of(d) : nullptr;
    const ConfigNode* root = schema ? tree_of(loaded, d) : nullptr;
    if (!root || !find_field(*root, d.field).exact) continue;
    std::optional<RightPlace> place = renamed(*root, *schema, d);
    if (!place) place = moved_up(*root, *schema, d);
    if (!place) place = moved_down(*root, *schema, d);
    if (!place) continue;
    if (!place->note.empty()) d.notes.insert(d.notes.begin(), {place->note, {}});
    if (!place->edits.empty()) d.fix = Fix{place->title, false, place->edits};
    const Diagnostic key = d;
    const auto lacks = [&](const Diagnostic& other) { return is_lack_of(other, key, place->field); };
    const auto lack = std::find_if(findings.begin(), findings.end(), lacks);
    if (lack == findings.end()) continue;
    d.severity = Severity::error;
    d.notes.push_back({"kube-apiserver refuses the object: " + lack->message, {}});
    const std::size_t before = static_cast<std::size_t>(
        std::count_if(findings.begin(), findings.begin() + static_cast<std::ptrdiff_t>(i), lacks));
    std::erase_if(findings, lacks);
    i -= before;
  }
}

}  // namespace apf
