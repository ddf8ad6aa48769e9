// Which texts make one configuration: what a kustomization builds, and folders that each have the same objects.
#include <apf/related_files.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "lint/kustomization.h"

namespace apf {

namespace {

using Indexes = std::vector<std::size_t>;

// --- what kustomizations build ---

class Builds {
 public:
  Builds(std::span<const ConfigText> texts, const FolderContents& contents) : contents_(contents) {
    for (std::size_t i = 0; i < texts.size(); ++i) texts_.emplace(normal_name(texts[i].name), i);
    for (const Kustomization& one : contents.kustomizations) {
      by_folder_.emplace(normal_name(one.folder), &one);
      for (const std::string& resource : one.resources) used_.insert(resource);
    }
    for (const std::string& file : contents.needed) unread_.insert(normal_name(file));
  }

  // Those that change objects, and those whose objects others change. What is built as it stands needs no set.
  std::vector<ConfigSet> sets() {
    std::vector<ConfigSet> out, whole;
    for (const Kustomization& one : contents_.kustomizations) {
      ConfigSet set = set_of(one);
      if (set.texts.empty()) continue;
      if (set.changed)
        for (const std::size_t text : set.texts) changed_.insert(text);
      (set.changed ? out : whole).push_back(std::move(set));
    }
    for (ConfigSet& set : whole) {
      const bool is_changed =
          std::any_of(set.texts.begin(), set.texts.end(), [&](std::size_t text) { return changed_.contains(text); });
      if (!is_changed) continue;
      set.partial = true;
      out.push_back(std::move(set));
    }
    return out;
  }

 private:
  ConfigSet set_of(const Kustomization& one) const {
    ConfigSet set;
    set.name = one.folder;
    std::set<std::string> seen;
    std::set<std::size_t> found;
    collect(one, seen, found, set);
    set.texts.assign(found.begin(), found.end());
    set.partial = set.partial || used_.contains(normal_name(one.folder));
    return set;
  }

  void collect(const Kustomization& one, std::set<std::string>& seen, std::set<std::size_t>& found,
               ConfigSet& set) const {
    if (!seen.insert(normal_name(one.folder)).second) return;
    set.changed = set.changed || one.changes;
    for (const std::string& resource : one.resources) {
      if (const auto text = texts_.find(resource); text != texts_.end()) {
        found.insert(text->second);
      } else if (const auto folder = by_folder_.find(resource); folder != by_folder_.end()) {
        collect(*folder->second, seen, found, set);
      } else {
        const bool file = resource.ends_with(".yaml") || resource.ends_with(".yml") || resource.ends_with(".json");
        set.partial = set.partial || !file || unread_.contains(resource);
      }
    }
  }

  const FolderContents& contents_;
  std::map<std::string, std::size_t> texts_;
  std::map<std::string, const Kustomization*> by_folder_;
  std::set<std::string> used_, unread_;
  std::set<std::size_t> changed_;  // texts
};

// --- folders that have the same objects ---

using Path = std::vector<std::string>;

// "clusters", "eu", ".", "a.yaml": the dot stands for the files of a folder itself.
Path parts_of(const std::string& name) {
  const std::string normal = normal_name(name);
  Path parts;
  std::size_t begin = 0;
  for (std::size_t slash; (slash = normal.find('/', begin)) != normal.npos; begin = slash + 1)
    parts.push_back(normal.substr(begin, slash - begin));
  parts.emplace_back(".");
  parts.push_back(normal.substr(begin));
  return parts;
}

using SharedObject = std::tuple<std::string, std::string, std::string>;  // kind, namespace, name

class Folders {
 public:
  Folders(std::span<const ConfigText> texts, const Indexes& indexes, const LoadedConfig* read) {
    for (const std::size_t i : indexes) {
      names_.insert(texts[i].name);
      texts_.emplace_back(i, folder_of(texts[i].name));
    }
    if (indexes.size() < 2) return;
    const LoadedConfig own = read ? LoadedConfig() : load_config(texts);
    const LoadedConfig& loaded = read ? *read : own;
    for (const Config* part : {&loaded.config, &loaded.replaced}) {
      for (const FlowSchema& o : part->flow_schemas) note(o.meta, "FlowSchema", {});
      for (const PriorityLevel& o : part->priority_levels) note(o.meta, "PriorityLevelConfiguration", {});
    }
    for (const auto* quotas : {&loaded.resource_quotas, &loaded.replaced_resource_quotas})
      for (const ResourceQuota& o : *quotas)
        if (!o.ns.empty()) note(o.meta, "ResourceQuota", o.ns);
  }

  std::vector<ConfigSet> sets() {
    std::vector<Siblings> siblings;  // folders beside each other that hold the same object
    std::size_t object = 0;
    for (const auto& [key, places] : places_) {
      Siblings of_object;
      for (const std::size_t place : places)
        for (std::size_t at = place; at != kTop && folders_[at].add(object); at = folders_[at].parent)
          of_object[folders_[at].parent].push_back(at);
      siblings.push_back(std::move(of_object));
      ++object;
    }
    for (const Siblings& of_object : siblings)
      for (const auto& [parent, folders] : of_object) find_roots(folders);
    return sets_of_roots();
  }

 private:
  static constexpr std::size_t kTop = 0;
  struct Folder {
    std::size_t parent = kTop;
    std::string name;
    std::vector<std::size_t> objects;        // in or below it, in ascending order
    bool is_root = false, is_outer = false;  // a root; one that has another below it
    std::vector<std::size_t> texts;          // below it, and below no root that is below it

    // False: it was there already.
    bool add(std::size_t object) {
      if (!objects.empty() && objects.back() == object) return false;
      objects.push_back(object);
      return true;
    }
  };
  using Siblings = std::map<std::size_t, std::vector<std::size_t>>;  // by the folder that holds them

  std::size_t folder_of(const std::string& file) {
    const Path parts = parts_of(file);
    std::size_t at = kTop;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto [place, fresh] = ids_.try_emplace({at, parts[i]}, folders_.size());
      if (fresh) {
        Folder& folder = folders_.emplace_back();
        folder.parent = at;
        folder.name = parts[i];
      }
      at = place->second;
    }
    return at;
  }

  void note(const ObjectMeta& meta, const char* kind, const std::string& ns) {
    if (!meta.name.empty() && names_.contains(meta.source.file))
      places_[{kind, ns, meta.name}].push_back(folder_of(meta.source.file));
  }

  // Two that have the greater part of what the smaller one has are environments. One object in common is a mistake.
  bool are_environments(std::size_t a, std::size_t b) const {
    const std::vector<std::size_t>&one = folders_[a].objects, &other = folders_[b].objects;
    std::vector<std::size_t> both;
    std::set_intersection(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(both));
    return 2 * both.size() >= std::min(one.size(), other.size());
  }

  void find_roots(const std::vector<std::size_t>& folders) {
    auto others = static_cast<std::size_t>(
        std::count_if(folders.begin(), folders.end(), [&](std::size_t folder) { return !folders_[folder].is_root; }));
    for (std::size_t a = 0; a < folders.size() && others > 0; ++a) {
      for (std::size_t b = a + 1; b < folders.size(); ++b) {
        Folder &one = folders_[folders[a]], &other = folders_[folders[b]];
        if ((one.is_root && other.is_root) || !are_environments(folders[a], folders[b])) continue;
        others -= (one.is_root ? 0 : 1) + (other.is_root ? 0 : 1);
        one.is_root = other.is_root = true;
      }
    }
  }

  // What lies below an inner root, and what lies above it in no other root: all environments share that.
  std::vector<ConfigSet> sets_of_roots() {
    for (const auto& [text, folder] : texts_) {
      std::size_t at = folder;
      while (at != kTop && !folders_[at].is_root) at = folders_[at].parent;
      folders_[at].texts.push_back(text);
    }
    std::map<Path, std::size_t> roots;
    for (std::size_t root = 1; root < folders_.size(); ++root) {
      if (!folders_[root].is_root) continue;
      roots.emplace(path_of(root), root);
      for (std::size_t at = folders_[root].parent; at != kTop; at = folders_[at].parent) folders_[at].is_outer = true;
    }
    std::vector<ConfigSet> out;
    for (const auto& [path, root] : roots)
      if (!folders_[root].is_outer) out.push_back(set_of(path, root));
    add_the_rest(out);
    return out;
  }

  Path path_of(std::size_t folder) const {
    Path path;
    for (; folder != kTop; folder = folders_[folder].parent) path.push_back(folders_[folder].name);
    std::reverse(path.begin(), path.end());
    return path;
  }

  ConfigSet set_of(const Path& path, std::size_t root) const {
    ConfigSet set;
    for (const std::string& part : path) {
      if (part != ".") set.name += (set.name.empty() ? "" : "/") + part;
    }
    if (set.name.empty()) set.name = ".";
    for (std::size_t at = root;; at = folders_[at].parent) {
      set.texts.insert(set.texts.end(), folders_[at].texts.begin(), folders_[at].texts.end());
      if (at == kTop) break;
    }
    std::sort(set.texts.begin(), set.texts.end());
    return set;
  }

  // What is in no set: below a root that has roots of its own.
  void add_the_rest(std::vector<ConfigSet>& sets) const {
    std::set<std::size_t> taken;
    for (const ConfigSet& set : sets) taken.insert(set.texts.begin(), set.texts.end());
    ConfigSet rest;
    for (const auto& [index, folder] : texts_) {
      if (!taken.contains(index)) rest.texts.push_back(index);
    }
    if (!rest.texts.empty()) sets.push_back(std::move(rest));
  }

  std::vector<Folder> folders_{1};  // the first is above all
  std::map<std::pair<std::size_t, std::string>, std::size_t> ids_;
  std::vector<std::pair<std::size_t, std::size_t>> texts_;  // and their folders
  std::set<std::string_view> names_;                        // of these texts
  std::map<SharedObject, std::vector<std::size_t>> places_;
};

}  // namespace

std::vector<ConfigSet> sets_of(std::span<const ConfigText> texts, const FolderContents& contents,
                               const LoadedConfig* read) {
  std::vector<ConfigSet> out = Builds(texts, contents).sets();
  std::set<std::size_t> taken;
  for (const ConfigSet& set : out) taken.insert(set.texts.begin(), set.texts.end());
  Indexes others;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!taken.contains(i)) others.push_back(i);
  }
  if (!others.empty() || out.empty()) {
    for (ConfigSet& set : Folders(texts, others, read).sets()) out.push_back(std::move(set));
  }
  if (out.empty()) out.emplace_back();
  std::sort(out.begin(), out.end(), [](const ConfigSet& a, const ConfigSet& b) {
    return std::pair(a.name.empty(), a.name) < std::pair(b.name.empty(), b.name);
  });
  return out;
}

}  // namespace apf
