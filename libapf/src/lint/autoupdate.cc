#include "lint/autoupdate.h"

#include "lint/fix_edits.h"

namespace apf {

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
