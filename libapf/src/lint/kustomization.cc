#include "lint/kustomization.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <re2/re2.h>

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

// What a selector takes; one of other groups, such as apps, takes none of ours.
void add_selected(const ConfigNode* selector, std::string_view by, Kustomization& out) {
  Kustomization::Change change{std::string(by), {}, {}, {}};
  if (selector) {
    change.group = selector->find_string("group");
    change.kind = selector->find_string("kind");
    change.name = selector->find_string("name");
  }
  out.changes.push_back(std::move(change));
}

class Changes {
 public:
  Changes(const ConfigNode& root, const FindText& find, Kustomization& out) : root_(root), find_(find), out_(out) {}

  void add_patches(std::string_view key) {
    for_each(key, [&](const ConfigNode& item) {
      if (const ConfigNode* target = item.find_present("target")) return add_selected(target, "patches", out_);
      const ConfigNode* inner = item.is_mapping() ? item.find_present("patch") : &item;
      if (inner && inner->text().find('\n') != std::string_view::npos)
        return add_patched({out_.folder, std::string(inner->text())});
      const std::string path = item.is_mapping() ? item.find_string("path") : std::string(item.text());
      const ConfigText* text = find_(path_in_folder(out_.folder, path));
      text ? add_patched(*text) : add_selected(nullptr, "patches", out_);
    });
  }

  void add_replacements() {
    for_each("replacements", [&](const ConfigNode& item) {
      const std::string path = item.find_string("path");
      const ConfigText* text = path.empty() ? nullptr : find_(path_in_folder(out_.folder, path));
      if (text) return for_each_root(*text, [&](const ConfigNode& root) { add_targets(root); });
      path.empty() ? add_targets(item) : add_selected(nullptr, "replacements", out_);
    });
  }

  // Patches name what they change; what others do, only their program knows.
  void add_transformers() {
    constexpr const char* kKey = "transformers";
    const auto add = [&](const ConfigNode& transformer) {
      const std::string kind = transformer.find_string("kind");
      const bool patches = kind == "PatchTransformer" || kind == "PatchJson6902Transformer";
      add_selected(patches ? transformer.find_present("target") : nullptr, kKey, out_);
    };
    for_each(kKey, [&](const ConfigNode& item) {
      if (item.is_mapping()) return add(item);
      const ConfigText* text = find_(path_in_folder(out_.folder, item.text()));
      text ? for_each_root(*text, add) : add_selected(nullptr, kKey, out_);
    });
  }

 private:
  template <class Take>
  void for_each(std::string_view key, Take take) const {
    const ConfigNode* list = root_.find_present(key);
    for (const ConfigNode& item : list ? list->items() : std::span<const ConfigNode>()) take(item);
  }

  template <class Take>
  void for_each_root(const ConfigText& text, Take take) {
    std::vector<Diagnostic> faults;
    const std::shared_ptr<ConfigTree> tree = read_tree(text, faults);
    if (!faults.empty()) return add_selected(nullptr, "patches", out_);
    for (const ConfigDocument& document : tree->documents()) take(*document.root);
  }

  // The object of which the text has a part. A list of operations without a target has no object.
  void add_patched(const ConfigText& text) {
    for_each_root(text, [&](const ConfigNode& part) {
      if (!part.is_mapping()) return;
      const std::string version = part.find_string("apiVersion");
      const ConfigNode* metadata = part.find_present("metadata");
      const std::size_t slash = version.find('/');
      out_.changes.push_back({"patches", re2::RE2::QuoteMeta(slash == version.npos ? "" : version.substr(0, slash)),
                              re2::RE2::QuoteMeta(part.find_string("kind")),
                              re2::RE2::QuoteMeta(metadata ? metadata->find_string("name") : std::string())});
    });
  }

  void add_targets(const ConfigNode& replacement) {
    for (const ConfigNode& one : replacement.items()) add_targets(one);
    const ConfigNode* targets = replacement.find_present("targets");
    for (const ConfigNode& target : targets ? targets->items() : std::span<const ConfigNode>())
      add_selected(target.find_present("select"), "replacements", out_);
  }

  const ConfigNode& root_;
  const FindText& find_;
  Kustomization& out_;
};

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

bool matches_whole(const std::string& pattern, std::string_view name) {
  if (pattern.empty()) return true;
  if (std::all_of(pattern.begin(), pattern.end(), [](unsigned char c) { return std::isalnum(c); }))
    return pattern == name;
  const re2::RE2 compiled(pattern, re2::RE2::Quiet);
  return !compiled.ok() || re2::RE2::FullMatch(re2::StringPiece(name.data(), name.size()), compiled);
}

std::optional<Kustomization> read_kustomization(const ConfigText& text, const FindText& find) {
  std::vector<Diagnostic> faults;
  const std::shared_ptr<ConfigTree> tree = read_tree(text, faults);
  if (!faults.empty() || tree->documents().empty() || !tree->documents().front().root->is_mapping())
    return std::nullopt;
  const ConfigNode& root = *tree->documents().front().root;
  Kustomization out;
  out.folder = folder_of_name(text.name);
  for (const char* key : {"resources", "bases"}) add_paths(root, key, out.folder, out.resources);
  add_paths(root, "components", out.folder, out.components);
  Changes changes(root, find, out);
  for (const char* key : {"patches", "patchesStrategicMerge", "patchesJson6902"}) {
    add_paths(root, key, out.folder, out.patches);
    changes.add_patches(key);
  }
  changes.add_replacements();
  changes.add_transformers();
  for (const char* key : {"generators", "helmCharts", "helmChartInflationGenerator"})
    out.adds = out.adds || has_members(root, key);
  for (const char* key : {"namePrefix", "nameSuffix"}) out.renames = out.renames || has_members(root, key);
  return out;
}

}  // namespace apf
