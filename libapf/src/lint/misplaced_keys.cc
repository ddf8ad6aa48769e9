#include "lint/misplaced_keys.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "config/closest.h"
#include "config/codes.h"
#include "config/schema.h"
#include "config/tree.h"
#include "lint/causes.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

// Words that people write for a field of the same owner.
struct Misnomer {
  std::string_view written, meant;
};
constexpr Misnomer kMisnomers[] = {{"queue", "queuing"},
                                   {"queueing", "queuing"},
                                   {"handShakeLength", "handSize"},
                                   {"priorityLevel", "priorityLevelConfiguration"},
                                   {"precedence", "matchingPrecedence"},
                                   {"priority", "matchingPrecedence"},
                                   {"distinguisher", "distinguisherMethod"},
                                   {"urls", "nonResourceURLs"}};
// A field of RBAC's rules that has no counterpart.
constexpr std::string_view kResourceNames = "resourceNames";

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
  return meant_by(d);
}

// Where the key was meant to stand.
struct RightPlace {
  std::vector<std::string> fields;  // "spec.type"; several of a key around what belongs elsewhere
  std::string emptied;              // the object that lacks them all then
  std::string note;
  std::string title;
  std::vector<Edit> edits;
};

// Without the key, its entries stand as far left as it does. In block style only, and if nothing but a line break is
// between them.
std::vector<Edit> unwrap_edits(const ConfigNode& root, const FieldPosition& at) {
  const std::string_view text = root.tree().text();
  const std::string_view between = text.substr(at.key->end(), at.value->begin() - at.key->end());
  const int inward = at.value->span().column - at.key->span().column;
  if (at.value->style() != NodeStyle::block || inward <= 0 || between.find_first_not_of(": \r\n") != between.npos ||
      root.tree().is_aliased(at.value->begin(), at.value->end()))
    return {};
  const std::string_view inner = text.substr(at.value->begin(), at.value->end() - at.value->begin());
  std::string out;
  for (std::size_t begin = 0; begin < inner.size();) {
    const std::size_t end = std::min(inner.find('\n', begin), inner.size() - 1) + 1;
    std::string_view line = inner.substr(begin, end - begin);
    const std::string_view blank = line.substr(0, std::min(line.find_first_not_of(' '), line.size()));
    if (begin > 0) line.remove_prefix(std::min(blank.size(), static_cast<std::size_t>(inward)));
    out += line;
    begin = end;
  }
  return {{root.tree().name(), at.key->begin(), at.value->end(), out}};
}

std::optional<RightPlace> renamed(const ConfigNode& root, const StructSchema& schema, const Diagnostic& d) {
  const std::string owner = owner_of(d.field), key = d.field.substr(owner.empty() ? 0 : owner.size() + 1);
  const auto known =
      std::find_if(std::begin(kMisnomers), std::end(kMisnomers), [&](const Misnomer& m) { return m.written == key; });
  std::string meant = known == std::end(kMisnomers) ? meant_field(d, key) : std::string(known->meant);
  const StructSchema* fields = struct_at(schema, owner);
  if (meant.empty() || !fields || !field_named(*fields, meant)) return std::nullopt;
  RightPlace out;
  out.fields = {member_of(owner, meant)};
  if (find_field(root, out.fields.front()).exact) return std::nullopt;
  if (d.notes.empty()) out.note = did_you_mean(meant);
  out.title = fmt::format("rename it to \"{}\"", meant);
  out.edits = rename_key(root, d.field, meant);
  return out;
}

// An object of the tree, or one that could be there, that knows the key.
struct Owner {
  std::string field;
  bool stands = false;
  std::size_t steps = 0;  // from the object that has it
  std::string last;       // its last entry
};

std::vector<std::string_view> steps_of(std::string_view field) {
  std::vector<std::string_view> out;
  while (!field.empty()) {
    const std::size_t end = std::min(field.find('.'), field.size());
    out.push_back(field.substr(0, end));
    field.remove_prefix(std::min(end + 1, field.size()));
  }
  return out;
}

std::size_t steps_between(std::string_view a, std::string_view b) {
  const std::vector<std::string_view> from = steps_of(a), to = steps_of(b);
  const auto apart = std::mismatch(from.begin(), from.end(), to.begin(), to.end());
  return static_cast<std::size_t>((from.end() - apart.first) + (to.end() - apart.second));
}

class Owners {
 public:
  Owners(std::string_view from, std::string_view key) : from_(from), key_(key) {}

  // `node` is null for what is not there.
  void look_into(const ConfigNode* node, const StructSchema& schema, const std::string& field) {
    if (field != from_ && field_named(schema, key_) && !(node && node->find(key_)) && !field.empty())
      found_.push_back({field, node != nullptr, steps_between(from_, field), last_entry(node)});
    for (const FieldSchema& inner : schema.fields) {
      if (!inner.fields || inner.name == "status" || inner.name == "metadata") continue;
      const ConfigNode* const child = node ? node->find_present(inner.name) : nullptr;
      const std::string at = member_of(field, inner.name);
      if (inner.type == FieldType::object && (!child || child->is_mapping())) look_into(child, *inner.fields, at);
      else if (child && child->is_sequence()) look_into_items(*child, *inner.fields, at);
    }
  }

  // The nearest one, of those that stand if some do; null if two are equally near.
  const Owner* nearest() const {
    const auto before = [](const Owner& a, const Owner& b) {
      return a.stands != b.stands ? a.stands : a.steps < b.steps;
    };
    const auto best = std::min_element(found_.begin(), found_.end(), before);
    if (best == found_.end()) return nullptr;
    const auto equal = [&](const Owner& other) { return !before(*best, other) && !before(other, *best); };
    return std::count_if(found_.begin(), found_.end(), equal) == 1 ? &*best : nullptr;
  }

 private:
  static std::string last_entry(const ConfigNode* node) {
    return node && !node->entries().empty() ? std::string(node->entries().back().key.text()) : std::string();
  }

  // An item that the key is in, or the only one.
  void look_into_items(const ConfigNode& list, const StructSchema& schema, const std::string& field) {
    std::size_t i = 0;
    for (const ConfigNode& item : list.items()) {
      const std::string at = item_field(field, i++);
      const bool around = from_ == at || from_.starts_with(at + ".");
      if (item.is_mapping() && (around || list.items().size() == 1)) look_into(&item, schema, at);
    }
  }

  std::string_view from_, key_;
  std::vector<Owner> found_;
};

// The key and its value, taken from where they are and written at the end of the other object.
std::vector<Edit> move_edits(const ConfigNode& root, const std::string& field, const Owner& to) {
  const ConfigNode& value = *find_field(root, field).value;
  const std::string_view written = root.tree().text().substr(value.begin(), value.end() - value.begin());
  const bool inner = value.style() == NodeStyle::block && !value.is_scalar();
  if (to.last.empty() || inner || written.empty() || written.find('\n') != written.npos) return {};
  const std::string key = field.substr(field.rfind('.') + 1);
  std::vector<Edit> edits = insert_after(root, member_of(to.field, to.last), key, NewScalar::flow(written));
  const std::vector<Edit> removed = remove_field(root, field);
  if (edits.empty() || removed.empty()) return {};
  edits.insert(edits.end(), removed.begin(), removed.end());
  return edits;
}

// The same key of another object.
std::optional<RightPlace> moved(const ConfigNode& root, const StructSchema& schema, const Diagnostic& d) {
  const std::string from = owner_of(d.field), key = d.field.substr(from.empty() ? 0 : from.size() + 1);
  Owners owners(from, key);
  owners.look_into(&root, schema, "");
  const Owner* const to = owners.nearest();
  if (!to || (!to->stands && !d.notes.empty())) return std::nullopt;
  RightPlace out;
  out.fields = {member_of(to->field, key)};
  const char* const where = to->steps > 1 ? "" : to->field.size() < from.size() ? ", one level up" : ", one level down";
  out.note = fmt::format("it belongs to {}{}", to->field, where);
  out.title = fmt::format("move it to {}", to->field);
  if (to->stands) out.edits = move_edits(root, d.field, *to);
  return out;
}

// A key around what belongs to its own object: "- subject: {kind: User, …}".
std::optional<RightPlace> unwrapped(const ConfigNode& root, const StructSchema& schema, const Diagnostic& d) {
  const std::string owner = owner_of(d.field);
  const StructSchema* const fields = struct_at(schema, owner);
  const FieldPosition at = find_field(root, d.field);
  const auto is_known = [&](const ConfigEntry& entry) {
    return field_named(*fields, entry.key.text()) && !find_field(root, member_of(owner, entry.key.text())).exact;
  };
  const auto entries = at.value->entries();
  if (owner.empty() || !fields || entries.empty() || !std::all_of(entries.begin(), entries.end(), is_known))
    return std::nullopt;
  RightPlace out;
  out.emptied = owner;
  for (const ConfigEntry& entry : entries) out.fields.push_back(member_of(owner, entry.key.text()));
  out.note = fmt::format("what it holds belongs to {}, one level up", owner);
  out.title = fmt::format("move what it holds to {}", owner);
  out.edits = unwrap_edits(root, at);
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
bool is_lack_of(const Diagnostic& d, const Diagnostic& key, const RightPlace& place) {
  const auto is_there = [&](const std::string& field) { return d.field == field || d.field.starts_with(field + "."); };
  const bool is_emptied = !place.emptied.empty() && d.field == place.emptied;
  const bool there = is_emptied || std::any_of(place.fields.begin(), place.fields.end(), is_there);
  const bool same = there && d.kind == key.kind && d.object_name == key.object_name && d.span.file == key.span.file &&
                    d.document == key.document;
  return same && (d.type == "Required value" || d.message.find("Unsupported value: \"\"") != std::string::npos);
}

}  // namespace

void place_keys(const LoadedConfig& loaded, std::vector<Diagnostic>& findings) {
  for (std::size_t i = 0; i < findings.size(); ++i) {
    Diagnostic& d = findings[i];
    const StructSchema* schema = d.code == kUnknownField.code ? schema_of(d) : nullptr;
    const ConfigNode* root = schema ? tree_of(loaded, d) : nullptr;
    if (!root || !find_field(*root, d.field).exact) continue;
    if (d.field.ends_with(std::string(".").append(kResourceNames))) {
      d.notes = {{"flow control has no such field: a rule is for objects of any name", {}}};
      continue;
    }
    std::optional<RightPlace> place = renamed(*root, *schema, d);
    if (!place) place = unwrapped(*root, *schema, d);
    if (!place) place = moved(*root, *schema, d);
    if (!place) continue;
    if (!place->note.empty()) d.notes.insert(d.notes.begin(), {place->note, {}});
    if (!place->edits.empty()) d.fix = Fix{place->title, false, place->edits};
    const Diagnostic key = d;
    const auto lacks = [&](const Diagnostic& other) { return is_lack_of(other, key, *place); };
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
