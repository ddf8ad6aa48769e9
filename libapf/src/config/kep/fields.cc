#include "config/kep/fields.h"

#include <limits>
#include <unordered_set>

#include <fmt/core.h>

#include "config/closest.h"

namespace apf {

namespace {

const char* words_for(const ConfigNode& node) {
  switch (node.kind()) {
    case NodeKind::null:
      return "nothing";
    case NodeKind::boolean:
      return "a boolean";
    case NodeKind::integer:
    case NodeKind::floating:
      return "a number";
    case NodeKind::string:
      return "a string";
    case NodeKind::sequence:
      return "a list";
    case NodeKind::mapping:
      break;
  }
  return "a mapping";
}

}  // namespace

std::string listed(std::span<const std::string_view> names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " and " : ", ";
    out += names[i];
  }
  return out;
}

std::string joined_path(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

Diagnostic& KepFields::fail(const ConfigCode& code, std::size_t begin, std::size_t end, std::string_view path,
                            std::string message) {
  Diagnostic d =
      make_diagnostic(object_.tree(), code, Severity::error, begin, end, std::move(message), label_.document);
  d.kind = label_.kind;
  d.object_name = label_.name;
  d.field = path;
  diagnostics_.push_back(std::move(d));
  return diagnostics_.back();
}

Diagnostic& KepFields::fail(const ConfigCode& code, const ConfigNode& at, std::string_view path, std::string message) {
  return fail(code, at.begin(), at.end(), path, std::move(message));
}

Diagnostic& KepFields::missing(const ConfigNode& parent, std::string_view path, std::string_view name) {
  const FieldPosition at = find_field(object_, path);
  const ConfigNode& where = at.key                                             ? *at.key
                            : parent.is_mapping() && !parent.entries().empty() ? parent.entries().front().key
                                                                               : parent;
  return fail(kKepMissingField, where, joined_path(path, name), fmt::format("{} is missing", joined_path(path, name)));
}

void KepFields::wrong_type(const ConfigNode& node, std::string_view path, std::string_view expected) {
  Diagnostic& d =
      fail(kKepWrongValue, node, path, fmt::format("{}: expected {}, found {}", path, expected, words_for(node)));
  if (expected == "a string" && node.is_scalar() && !node.is_null())
    d.notes.push_back({fmt::format("YAML reads {} as {}; write it in quotes", node.text(), words_for(node)), {}});
}

void KepFields::unknown(const ConfigNode& key, std::string_view path, std::span<const std::string_view> names) {
  Diagnostic& d = fail(kKepUnknownField, key, joined_path(path, key.text()),
                       fmt::format("unknown field \"{}\"", joined_path(path, key.text())));
  if (path.empty() && key.text() == "metadata") {
    d.notes.push_back({"the KEP's dialect calls it meta", {}});
  } else if (path.empty() && key.text() == "apiVersion") {
    d.notes.push_back({"the KEP's dialect has no versions; an object of the API has metadata and rules", {}});
  } else if (const std::string_view near = closest(key.text(), names); !near.empty()) {
    d.notes.push_back({did_you_mean(near), {}});
  } else {
    d.notes.push_back(
        {fmt::format("{} {}", names.size() == 1 ? "the only field is" : "the fields are", listed(names)), {}});
  }
}

void KepFields::duplicate(const ConfigEntry& entry, std::string_view path) {
  fail(kDuplicateField, entry.key, joined_path(path, entry.key.text()),
       fmt::format("\"{}\" occurs twice", joined_path(path, entry.key.text())));
}

void KepFields::check_keys(const ConfigNode& mapping, std::string_view path,
                           std::initializer_list<std::string_view> names) {
  std::unordered_set<std::string_view> seen;
  for (const ConfigEntry& entry : mapping.entries()) {
    if (!seen.insert(entry.key.text()).second) duplicate(entry, path);
    else if (std::find(names.begin(), names.end(), entry.key.text()) == names.end())
      unknown(entry.key, path, std::span(names.begin(), names.size()));
  }
}

const ConfigNode* KepFields::mapping_at(const ConfigNode& parent, std::string_view path, std::string_view name,
                                        bool needed) {
  const ConfigNode* node = parent.find_present(name);
  if (!node) {
    if (needed) missing(parent, path, name);
    return nullptr;
  }
  if (node->is_mapping()) return node;
  wrong_type(*node, joined_path(path, name), "a mapping");
  return nullptr;
}

std::string KepFields::text_at(const ConfigNode& parent, std::string_view path, std::string_view name, bool needed) {
  const ConfigNode* node = parent.find_present(name);
  if (!node) {
    if (needed) missing(parent, path, name);
    return {};
  }
  if (node->is_string()) return std::string(node->text());
  wrong_type(*node, joined_path(path, name), "a string");
  return {};
}

bool KepFields::boolean_at(const ConfigNode& spec, std::string_view name) {
  const ConfigNode* node = spec.find_present(name);
  if (!node) return false;
  if (node->kind() == NodeKind::boolean) return node->boolean();
  wrong_type(*node, joined_path("spec", name), "true or false");
  return false;
}

std::optional<std::int32_t> KepFields::integer_at(const ConfigNode& parent, std::string_view path,
                                                  std::string_view name, bool needed) {
  const ConfigNode* node = parent.find_present(name);
  if (!node) {
    if (needed) missing(parent, path, name);
    return std::nullopt;
  }
  const auto value = node->kind() == NodeKind::integer ? node->integer() : std::nullopt;
  if (value && *value >= std::numeric_limits<std::int32_t>::min() && *value <= std::numeric_limits<std::int32_t>::max())
    return static_cast<std::int32_t>(*value);
  if (node->kind() == NodeKind::integer) {
    fail(kKepWrongValue, *node, joined_path(path, name),
         fmt::format("{}: {} isn't a 32-bit integer", joined_path(path, name), node->text()));
  } else {
    wrong_type(*node, joined_path(path, name), "an integer");
  }
  return std::nullopt;
}

}  // namespace apf
