#include "lint/autoupdate.h"

#include <algorithm>

#include "lint/fix_edits.h"

namespace apf {

namespace {

// Go's ParseBool, by which the server reads the annotation.
std::optional<bool> parse_bool(std::string_view text) {
  constexpr std::string_view kTrue[] = {"1", "t", "T", "TRUE", "true", "True"},
                             kFalse[] = {"0", "f", "F", "FALSE", "false", "False"};
  if (std::find(std::begin(kTrue), std::end(kTrue), text) != std::end(kTrue)) return true;
  if (std::find(std::begin(kFalse), std::end(kFalse), text) != std::end(kFalse)) return false;
  return std::nullopt;
}

// A manifest has no generation; an object that was read from a cluster has.
bool was_edited(const ObjectMeta& meta) {
  const FieldPosition position = find_field(*meta.source.tree, "metadata.generation");
  return position.exact && position.value && position.value->integer().value_or(1) > 1;
}

}  // namespace

std::optional<bool> autoupdate(const ObjectMeta& meta) {
  for (const auto& [key, value] : meta.annotations) {
    if (key == kAutoupdateAnnotation) return parse_bool(value);
  }
  return std::nullopt;
}

bool has_autoupdate(const ObjectMeta& meta) {
  return std::any_of(meta.annotations.begin(), meta.annotations.end(),
                     [](const auto& a) { return a.first == kAutoupdateAnnotation; });
}

bool is_restored(const ObjectMeta& meta) {
  const std::optional<bool> updates = autoupdate(meta);
  return updates != false && (updates || !was_edited(meta));
}

std::vector<Edit> forbid_autoupdate(const ObjectMeta& meta) {
  const ConfigNode& root = *meta.source.tree;
  if (has_autoupdate(meta)) return replace_scalar(root, kAutoupdateField, "false");
  if (!find_field(root, "metadata.annotations").exact)
    return insert_mapping_after(root, "metadata.name", "annotations", kAutoupdateAnnotation, "false");
  if (meta.annotations.empty()) return {};  // null or {}
  return insert_after(root, "metadata.annotations[" + meta.annotations.back().first + "]", kAutoupdateAnnotation,
                      "false");
}

bool is_former_built_in(std::string_view name) {
  return name == "workload-leader-election" || name == "endpoint-controller";
}

}  // namespace apf
