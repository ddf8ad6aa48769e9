#include "lint/kustomization.h"

#include <filesystem>

#include "config/reader.h"
#include "config/tree.h"

namespace apf {

namespace {

constexpr std::string_view kGit = "git:";

// "git:main:" of "git:main:overlays/prod": the rest is a path.
std::string_view git_prefix(std::string_view name) {
  const std::size_t colon = name.starts_with(kGit) ? name.find(':', kGit.size()) : name.npos;
  return colon == name.npos ? std::string_view() : name.substr(0, colon + 1);
}

void add_paths(const ConfigNode& root, std::string_view key, const std::string& folder, std::vector<std::string>& out) {
  const ConfigNode* list = root.find(key);
  for (const ConfigNode& item : list ? list->items() : std::span<const ConfigNode>()) {
    const std::string path = item.is_mapping() ? item.find_string("path") : std::string(item.text());
    // A patch may stand in its place.
    if (!path.empty() && path.find('\n') == path.npos) out.push_back(path_in_folder(folder, path));
  }
}

bool has_members(const ConfigNode& root, std::string_view key) {
  const ConfigNode* value = root.find_present(key);
  return value && (!value->items().empty() || !value->entries().empty() || !value->text().empty());
}

}  // namespace

bool is_kustomization_file(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of("/:") + 1);
  return name == "kustomization.yaml" || name == "kustomization.yml";
}

std::string folder_of_name(std::string_view name) {
  const std::string_view prefix = git_prefix(name);
  const std::size_t slash = name.rfind('/');
  if (slash == name.npos || slash < prefix.size()) return prefix.empty() ? "." : std::string(prefix);
  return std::string(name.substr(0, slash == 0 ? 1 : slash));
}

std::string path_in_folder(std::string_view folder, std::string_view path) {
  const std::string_view prefix = git_prefix(folder);
  const std::filesystem::path below(folder.substr(prefix.size()));
  std::string normal = (below / std::filesystem::path(path)).lexically_normal().generic_string();
  while (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return std::string(prefix) + normal;
}

std::string normal_name(std::string_view name) {
  const std::string_view prefix = git_prefix(name);
  return path_in_folder(prefix, name.substr(prefix.size()));
}

std::optional<Kustomization> read_kustomization(const ConfigText& text) {
  std::vector<Diagnostic> faults;
  const std::shared_ptr<ConfigTree> tree = read_tree(text, faults);
  if (!faults.empty() || tree->documents().empty() || !tree->documents().front().root->is_mapping())
    return std::nullopt;
  const ConfigNode& root = *tree->documents().front().root;
  Kustomization out;
  out.folder = folder_of_name(text.name);
  for (const char* key : {"resources", "bases"}) add_paths(root, key, out.folder, out.resources);
  for (const char* key : {"patches", "patchesStrategicMerge", "patchesJson6902"})
    add_paths(root, key, out.folder, out.patches);
  for (const char* key : {"patches", "patchesStrategicMerge", "patchesJson6902", "components", "replacements",
                          "transformers", "generators", "helmCharts", "vars", "namePrefix", "nameSuffix"})
    out.changes = out.changes || has_members(root, key);
  return out;
}

}  // namespace apf
