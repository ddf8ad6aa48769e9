#include "lint/causes.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "base/releases.h"
#include "config/closest.h"
#include "config/codes.h"
#include "config/schema.h"
#include "config/tree.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

bool has_key(const ConfigNode& item, std::string_view key) { return item.find(key) != nullptr; }

bool has_any_key(const ConfigNode& item, std::initializer_list<std::string_view> keys) {
  return std::any_of(keys.begin(), keys.end(), [&](std::string_view key) { return has_key(item, key); });
}

std::string_view raw(const ConfigNode& node) {
  return node.tree().text().substr(node.begin(), node.end() - node.begin());
}

// One cause: what is said of it, how it is fixed, and which findings it explains.
struct Cause {
  std::vector<std::string> items;  // fields; findings at these and below are explained
  std::string note;
  Span span;
  std::string title;
  std::vector<Edit> edits;
};

// The item or a field of it; what lists in it hold has causes of its own.
bool is_of_item(std::string_view field, std::string_view item) {
  if (!field.starts_with(item)) return false;
  const std::string_view rest = field.substr(item.size());
  return rest.empty() || (rest[0] == '.' && rest.find('[') == rest.npos);
}

// A missing or unknown field can be the cause's; a wrong value has its own.
bool is_explained(const Cause& cause, const Diagnostic& d) {
  const bool missing = d.type == "Required value" || d.code == kInvalidSubjectKind.code;
  const bool unknown = d.code == kUnknownField.code;
  return (missing || unknown) && std::any_of(cause.items.begin(), cause.items.end(),
                                             [&](const std::string& item) { return is_of_item(d.field, item); });
}

// --- subjects as RBAC writes them: {kind: User, name: alice, apiGroup: …} ---

std::optional<Cause> rbac_subject(const ConfigNode& root, const ConfigNode& subject, const std::string& field) {
  const ConfigEntry* name = subject.find_entry("name");
  const ConfigNode* kind = subject.find("kind");
  if (!name || !kind || !name->value.is_scalar() || has_any_key(subject, {"user", "group", "serviceAccount"}))
    return std::nullopt;
  const std::string_view of = kind->text();
  if (of != "User" && of != "Group" && of != "ServiceAccount") return std::nullopt;
  const ConfigEntry* ns = subject.find_entry("namespace");
  if (of == "ServiceAccount" && (!ns || !ns->value.is_scalar())) return std::nullopt;
  const std::string member = of == "User" ? "user" : of == "Group" ? "group" : "serviceAccount";
  const std::string value =
      of == "ServiceAccount" ? fmt::format("{}: {{namespace: {}, name: {}}}", member, raw(ns->value), raw(name->value))
                             : fmt::format("{}: {{name: {}}}", member, raw(name->value));
  Cause cause{{field},
              fmt::format("this is a subject as RBAC writes it; here it is \"{}\"", value),
              name->key.span(),
              fmt::format("write {}", value),
              {}};
  cause.edits.push_back({root.tree().name(), name->key.begin(), name->value.end(), value});
  for (const char* other : {"namespace", "apiGroup"}) {
    if (!has_key(subject, other)) continue;
    const std::vector<Edit> edits = remove_field(root, fmt::format("{}.{}", field, other));
    if (edits.empty()) cause.edits.clear();
    if (cause.edits.empty()) break;
    cause.edits.insert(cause.edits.end(), edits.begin(), edits.end());
  }
  return cause;
}

// --- items that a stray "-" splits ---

bool keys_are_apart(const ConfigNode& a, const ConfigNode& b) {
  return std::none_of(a.entries().begin(), a.entries().end(),
                      [&](const ConfigEntry& entry) { return has_key(b, entry.key.text()); });
}

bool is_split_subject(const ConfigNode& a, const ConfigNode& b) {
  return has_key(a, "kind") && !has_any_key(a, {"user", "group", "serviceAccount", "name"}) && !has_key(b, "kind") &&
         has_any_key(b, {"user", "group", "serviceAccount"});
}

bool is_whole_resource_rule(const std::function<bool(std::string_view)>& has) {
  return has("verbs") && has("apiGroups") && has("resources") && (has("namespaces") || has("clusterScope"));
}

bool is_split_resource_rule(const ConfigNode& a, const ConfigNode& b) {
  const auto in_a = [&](std::string_view key) { return has_key(a, key); };
  const auto in_b = [&](std::string_view key) { return has_key(b, key); };
  return !is_whole_resource_rule(in_a) && !is_whole_resource_rule(in_b) &&
         is_whole_resource_rule([&](std::string_view key) { return in_a(key) || in_b(key); });
}

bool is_split_url_rule(const ConfigNode& a, const ConfigNode& b) {
  return has_key(a, "verbs") != has_key(b, "verbs") && has_key(a, "nonResourceURLs") != has_key(b, "nonResourceURLs") &&
         has_any_key(a, {"verbs", "nonResourceURLs"}) && has_any_key(b, {"verbs", "nonResourceURLs"});
}

bool is_split_rule(const ConfigNode& a, const ConfigNode& b) {
  const bool a_matches = has_any_key(a, {"resourceRules", "nonResourceRules"}),
             b_matches = has_any_key(b, {"resourceRules", "nonResourceRules"});
  return has_key(a, "subjects") != has_key(b, "subjects") && a_matches != b_matches &&
         has_key(a, "subjects") != a_matches;
}

// The "-" before an item that begins in the column of the one above it becomes a blank.
std::vector<Edit> join_edits(const ConfigNode& before, const ConfigNode& item) {
  if (before.span().column != item.span().column || before.span().line == item.span().line) return {};
  const std::string_view text = item.tree().text();
  std::size_t at = item.begin();
  while (at > 0 && text[at - 1] == ' ') --at;
  if (at == 0 || text[at - 1] != '-' || at == item.begin()) return {};
  const std::size_t dash = at - 1;
  if (dash > 0 && text[dash - 1] != ' ' && text[dash - 1] != '\n') return {};
  return {{item.tree().name(), dash, dash + 1, " "}};
}

using IsSplit = bool (*)(const ConfigNode&, const ConfigNode&);

void find_splits(const ConfigNode& list, const std::string& field, IsSplit is_split, std::vector<Cause>& out) {
  const std::span<const ConfigNode> items = list.items();
  for (std::size_t i = 0; i + 1 < items.size(); ++i) {
    const ConfigNode &a = items[i], &b = items[i + 1];
    if (!a.is_mapping() || !b.is_mapping() || b.entries().empty() || !keys_are_apart(a, b) || !is_split(a, b)) continue;
    const std::string_view key = b.entries().front().key.text();
    out.push_back({{item_field(field, i), item_field(field, i + 1)},
                   fmt::format("the \"-\" before \"{}\" makes it an item of its own; without it both are one", key),
                   b.entries().front().key.span(),
                   fmt::format("remove the \"-\" before \"{}\"", key),
                   join_edits(a, b)});
    ++i;
  }
}

// --- what a rule matches, written as one of its subjects: one indentation too deep ---

std::optional<Cause> rules_among_subjects(const ConfigNode& rule, const ConfigNode& subject, const std::string& rule_at,
                                          const std::string& field) {
  if (subject.entries().size() != 1) return std::nullopt;
  const ConfigEntry& only = subject.entries().front();
  const std::string_view key = only.key.text();
  if ((key != "resourceRules" && key != "nonResourceRules") || has_any_key(rule, {key})) return std::nullopt;
  Cause cause{{field, rule_at},
              fmt::format("\"{}\" is written as a subject here; it belongs to the rule, beside \"subjects\"", key),
              only.key.span(),
              fmt::format("remove the \"-\" before \"{}\"", key),
              {}};
  // Without the "-" it is beside "subjects" if the "-" is.
  const std::string_view text = subject.tree().text();
  std::size_t dash = subject.begin();
  while (dash > 0 && text[dash - 1] == ' ') --dash;
  const ConfigEntry* subjects = rule.find_entry("subjects");
  const std::size_t width = subject.begin() - dash + 1;
  const auto column = static_cast<std::size_t>(subject.span().column);
  if (dash > 0 && text[dash - 1] == '-' && subjects &&
      column == static_cast<std::size_t>(subjects->key.span().column) + width)
    cause.edits.push_back({subject.tree().name(), dash - 1, subject.begin(), ""});
  return cause;
}

std::vector<Cause> causes_of(const FlowSchema& schema) {
  std::vector<Cause> out;
  const ConfigNode& root = *schema.meta.source.tree;
  const ConfigNode* spec = root.find("spec");
  const ConfigNode* rules = spec ? spec->find("rules") : nullptr;
  if (!rules) return out;
  find_splits(*rules, "spec.rules", is_split_rule, out);
  std::size_t i = 0;
  for (const ConfigNode& rule : rules->items()) {
    const std::string at = item_field("spec.rules", i++);
    if (const ConfigNode* list = rule.find("resourceRules"))
      find_splits(*list, at + ".resourceRules", is_split_resource_rule, out);
    if (const ConfigNode* list = rule.find("nonResourceRules"))
      find_splits(*list, at + ".nonResourceRules", is_split_url_rule, out);
    const ConfigNode* subjects = rule.find("subjects");
    if (!subjects) continue;
    find_splits(*subjects, at + ".subjects", is_split_subject, out);
    std::size_t j = 0;
    for (const ConfigNode& subject : subjects->items()) {
      const std::string field = item_field(at + ".subjects", j++);
      if (!subject.is_mapping()) continue;
      if (std::optional<Cause> cause = rbac_subject(root, subject, field)) out.push_back(std::move(*cause));
      if (std::optional<Cause> cause = rules_among_subjects(rule, subject, at, field)) out.push_back(std::move(*cause));
    }
  }
  return out;
}

// The first error that the cause explains says so; the others go.
void apply(const Cause& cause, const FlowSchema& schema, std::vector<Diagnostic>& findings) {
  const auto of_schema = [&](const Diagnostic& d) {
    return d.kind == "FlowSchema" && d.object_name == schema.meta.name && d.span.file == schema.meta.source.file &&
           d.document == schema.meta.source.document && is_explained(cause, d);
  };
  Diagnostic* kept = nullptr;
  for (Diagnostic& d : findings) {
    if (of_schema(d) && d.severity == Severity::error && (!kept || d.span.line < kept->span.line)) kept = &d;
  }
  if (!kept) return;
  kept->notes.insert(kept->notes.begin(), {cause.note, cause.span});
  if (!cause.edits.empty()) kept->fix = Fix{cause.title, false, cause.edits};
  const std::string field = kept->field, message = kept->message;
  std::erase_if(findings,
                [&](const Diagnostic& d) { return of_schema(d) && (d.field != field || d.message != message); });
}

template <class Object>
const Object* find_object(const std::vector<Object>& objects, const Diagnostic& d) {
  for (const Object& object : objects) {
    const ObjectMeta& meta = object.meta;
    if (meta.name == d.object_name && meta.source.file == d.span.file && meta.source.document == d.document &&
        meta.source.tree && meta.source.span_of(d.field).line == d.span.line)
      return &object;
  }
  return nullptr;
}

}  // namespace

std::string meant_by(const Diagnostic& finding) {
  for (const Note& note : finding.notes)
    if (const std::string_view meant = meant_in(note.message); !meant.empty()) return std::string(meant);
  return {};
}

const ConfigNode* tree_of(const LoadedConfig& loaded, const Diagnostic& d) {
  if (const FlowSchema* schema = find_object(loaded.config.flow_schemas, d); schema && d.kind == "FlowSchema")
    return schema->meta.source.tree.get();
  if (const ResourceQuota* quota = find_object(loaded.resource_quotas, d); quota && d.kind == "ResourceQuota")
    return quota->meta.source.tree.get();
  const PriorityLevel* level = find_object(loaded.config.priority_levels, d);
  return level && d.kind == "PriorityLevelConfiguration" ? level->meta.source.tree.get() : nullptr;
}

namespace {

// "Limited" and "Exempt" of: supported values: "Exempt", "Limited"
std::vector<std::string_view> supported_values(std::string_view detail) {
  std::vector<std::string_view> out;
  const std::size_t list = detail.find("supported values: ");
  for (std::size_t at = list == detail.npos ? list : detail.find('"', list); at != detail.npos;) {
    const std::size_t end = detail.find('"', at + 1);
    if (end == detail.npos) break;
    out.push_back(detail.substr(at + 1, end - at - 1));
    at = detail.find('"', end + 1);
  }
  return out;
}

// One that is spelt almost like it, or the only one that it is a part of: "User" for "ByUser", "Queuing" for "Queue".
std::string_view nearest_value(std::string_view text, const std::vector<std::string_view>& known) {
  const std::string_view near = closest(text, known);
  if (!near.empty()) return near;
  constexpr std::size_t kStem = 4;
  std::vector<std::string_view> alike;
  for (const std::string_view value : known) {
    const bool part = text.size() >= kStem && value.find(text) != value.npos;
    const bool stem = value.size() >= kStem && text.starts_with(value.substr(0, kStem));
    if (part || stem) alike.push_back(value);
  }
  return alike.size() == 1 ? alike.front() : std::string_view();
}

void fix_value(const ConfigNode& root, Diagnostic& d) {
  const std::vector<std::string_view> known = supported_values(d.detail);
  const FieldPosition at = find_field(root, d.field);
  if (!at.exact) return;
  const auto offer = [&](const ConfigNode& value, const std::string& field) {
    const std::string_view near = nearest_value(value.text(), known);
    if (!value.is_string() || near.empty() || near == value.text()) return;
    offer_fix(d, fmt::format("replace it with \"{}\"", near), false, replace_scalar(root, field, near));
  };
  if (at.value->is_scalar()) return offer(*at.value, d.field);
  if (const ConfigNode* const type = at.value->find("type")) return offer(*type, d.field + ".type");
  std::size_t i = 0;
  for (const ConfigNode& item : at.value->items()) {
    const std::string field = item_field(d.field, i++);
    if (!d.fix && std::find(known.begin(), known.end(), item.text()) == known.end()) offer(item, field);
  }
}

void fix_version(const LoadedConfig& loaded, const UnknownFields& unknown, KubeVersion version, Diagnostic& d) {
  if (unknown.of(d)) return;
  const std::string to(newest_lifecycle(version).version);
  const std::string title = fmt::format("convert it to {}", to);
  if (const FlowSchema* schema = find_object(loaded.config.flow_schemas, d); schema && d.kind == "FlowSchema") {
    // The FlowSchemas of all versions are the same.
    offer_fix(d, title, true,
              replace_scalar(*schema->meta.source.tree, "apiVersion", fmt::format("{}/{}", kApiGroup, to)));
  } else if (const PriorityLevel* level = find_object(loaded.config.priority_levels, d)) {
    offer_fix(d, title, true, version_edits(*level, to));
  }
}

bool counts_assured(std::string_view version) {
  return version == "v1alpha1" || version == "v1beta1" || version == "v1beta2";
}

}  // namespace

std::vector<Edit> version_edits(const PriorityLevel& level, std::string_view to) {
  const ConfigNode& root = *level.meta.source.tree;
  const std::string_view from = std::string_view(level.meta.api_version).substr(level.meta.api_version.find('/') + 1);
  const char *const assured = "spec.limited.assuredConcurrencyShares", *const nominal =
                                                                           "spec.limited.nominalConcurrencyShares";
  // Zero shares mean the default before v1, and an annotation may say otherwise. What counts is what is written: the
  // level may have its defaults already.
  const auto is_zero = [&](const char* field) {
    const FieldPosition at = find_field(root, field);
    return at.exact && at.value->integer() == 0;
  };
  const bool zero = is_zero(assured) || is_zero(nominal);
  const bool known = from == "v1" || from == "v1beta3" || counts_assured(from);
  const bool annotated = std::any_of(level.meta.annotations.begin(), level.meta.annotations.end(),
                                     [](const auto& a) { return a.first == kPreserveZeroAnnotation; });
  if (!known || zero || annotated || counts_assured(to)) return {};
  std::vector<Edit> edits = replace_scalar(root, "apiVersion", fmt::format("{}/{}", kApiGroup, to));
  if (!counts_assured(from)) return edits;
  if (find_field(root, nominal).exact) return {};  // it counts as soon as the version knows it
  if (!find_field(root, assured).exact) return edits;
  const std::vector<Edit> key = rename_key(root, assured, "nominalConcurrencyShares");
  if (key.empty()) return {};
  edits.insert(edits.end(), key.begin(), key.end());
  return edits;
}

void name_causes(const LoadedConfig& loaded, std::vector<Diagnostic>& findings) {
  for (const FlowSchema& schema : loaded.config.flow_schemas) {
    if (!schema.meta.source.tree) continue;
    const bool in_error = std::any_of(findings.begin(), findings.end(), [&](const Diagnostic& d) {
      return d.severity == Severity::error && d.kind == "FlowSchema" && d.object_name == schema.meta.name;
    });
    if (!in_error) continue;
    for (const Cause& cause : causes_of(schema)) apply(cause, schema, findings);
  }
}

UnknownFields::UnknownFields(const LoadedConfig& loaded) {
  for (const Diagnostic& d : loaded.diagnostics) {
    if (d.code == kUnknownField.code || d.code == kDuplicateField.code)
      objects_.emplace(d.span.file, d.document, d.kind, d.object_name);
  }
}

bool UnknownFields::of(const Diagnostic& d) const {
  return objects_.contains({d.span.file, d.document, d.kind, d.object_name});
}

void offer_rejection_fixes(const LoadedConfig& loaded, KubeVersion version, std::vector<Diagnostic>& findings) {
  const UnknownFields unknown(loaded);
  for (Diagnostic& d : findings) {
    if (d.fix) continue;
    if (d.code == kNotServed.code) fix_version(loaded, unknown, version, d);
    const ConfigNode* root = d.type == "Unsupported value" ? tree_of(loaded, d) : nullptr;
    if (root) fix_value(*root, d);
  }
}

}  // namespace apf
