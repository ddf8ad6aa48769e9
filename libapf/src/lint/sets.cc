// Which texts make one configuration: what a kustomization builds, and folders that each have the same objects.
#include <apf/related_files.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "base/joined.h"
#include "config/schema.h"
#include "lint/kustomization.h"
#include "lint/project.h"

namespace apf {

namespace {

using Indexes = std::vector<std::size_t>;

// --- what kustomizations build ---

struct KnownObject {
  std::string group, kind, name;
};
using ObjectsByFile = std::map<std::string, std::vector<KnownObject>>;

ObjectsByFile objects_of(const LoadedConfig& loaded, bool workloads) {
  ObjectsByFile out;
  const auto note = [&](const ObjectMeta& meta, std::string_view group, const char* kind) {
    out[meta.source.file].push_back({std::string(group), kind, meta.name});
  };
  for (const Config* part : {&loaded.config, &loaded.replaced}) {
    for (const FlowSchema& o : part->flow_schemas) note(o.meta, kApiGroup, "FlowSchema");
    for (const PriorityLevel& o : part->priority_levels) note(o.meta, kApiGroup, "PriorityLevelConfiguration");
  }
  for (const auto* quotas : {&loaded.resource_quotas, &loaded.replaced_resource_quotas})
    for (const ResourceQuota& o : *quotas) note(o.meta, "", "ResourceQuota");
  for (const LimitRange& o : loaded.limit_ranges) note(o.meta, "", "LimitRange");
  if (!workloads) return out;
  for (const SkippedObject& o : loaded.skipped) {
    const std::size_t slash = o.api_version.find('/');
    out[o.span.file].push_back({slash == std::string::npos ? "" : o.api_version.substr(0, slash), o.kind, o.name});
  }
  return out;
}

constexpr std::pair<std::string_view, std::string_view> kChangedKinds[] = {
    {kApiGroup, kFlowSchemaKind}, {kApiGroup, kPriorityLevelKind}, {"", "ResourceQuota"}, {"", "LimitRange"}};

class Builds {
 public:
  Builds(std::span<const ConfigText> texts, const FolderContents& contents, const ObjectsByFile& objects)
      : texts_(texts), contents_(contents), objects_(objects) {
    for (std::size_t i = 0; i < texts.size(); ++i) by_name_.emplace(normal_name(texts[i].name), i);
    for (const Kustomization& one : contents.kustomizations) {
      by_folder_.emplace(normal_name(one.folder), &one);
      for (const auto* names : {&one.resources, &one.components}) used_.insert(names->begin(), names->end());
    }
    for (const std::string& file : contents.needed) unread_.insert(normal_name(file));
  }

  // Those that change objects, and those whose objects others change. What is built as it stands needs no set.
  std::vector<ConfigSet> sets() {
    std::vector<ConfigSet> out, whole;
    for (const Kustomization& one : contents_.kustomizations) {
      if (one.elsewhere) continue;
      ConfigSet set = Build(*this, one).take();
      if (set.texts.empty()) continue;
      const bool changes = set.renamed || !set.changed.empty();
      if (changes) changed_.insert(set.texts.begin(), set.texts.end());
      (changes ? out : whole).push_back(std::move(set));
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
  // What one kustomization builds.
  class Build {
   public:
    Build(const Builds& all, const Kustomization& one) : all_(all) {
      set_.name = one.folder;
      const Part& whole = part_of(one);
      set_.texts.assign(whole.texts.begin(), whole.texts.end());
      set_.partial = whole.unread || all_.used_.contains(normal_name(one.folder));
      set_.changed.assign(kinds_.begin(), kinds_.end());
      set_.changed_by = joined(by_, " and ");
    }

    ConfigSet take() { return std::move(set_); }

   private:
    struct Part {
      std::set<std::size_t> texts;
      bool unread = false;  // it has objects that are not given
      bool renames = false;
      std::vector<Kustomization::Change> changes;
      std::set<std::string> seen;  // kustomizations and components, without those of inner parts
    };

    // What a kustomization builds is what it changes: others beside it have changes of their own.
    const Part& part_of(const Kustomization& one) {
      const auto [place, fresh] = parts_.try_emplace(normal_name(one.folder));
      if (!fresh) return place->second;
      Part part;
      collect(one, part);
      for (const Kustomization::Change& change : part.changes) apply(change, part);
      set_.renamed = set_.renamed || (part.renames && !part.texts.empty());
      return parts_[normal_name(one.folder)] = std::move(part);
    }

    void apply(const Kustomization::Change& change, const Part& part) {
      const auto look = [&](const KnownObject& object) {
        if (!matches_whole(change.kind, object.kind) || !matches_whole(change.group, object.group) ||
            (!object.name.empty() && !matches_whole(change.name, object.name)))
          return;
        kinds_.insert(object.kind);
        by_.insert(change.by);
      };
      for (const std::size_t text : part.texts) {
        const auto objects = all_.objects_.find(all_.texts_[text].name);
        if (objects != all_.objects_.end())
          for (const KnownObject& object : objects->second) look(object);
      }
      if (part.unread && !part.texts.empty())
        for (const auto& [group, kind] : kChangedKinds) look({std::string(group), std::string(kind), {}});
    }

    // A component changes what the kustomization has that names it.
    void collect(const Kustomization& one, Part& part) {
      if (!part.seen.insert(normal_name(one.folder)).second) return;
      part.changes.insert(part.changes.end(), one.changes.begin(), one.changes.end());
      part.renames = part.renames || one.renames;
      part.unread = part.unread || one.adds;
      for (const std::string& component : one.components) {
        const auto folder = all_.by_folder_.find(component);
        if (folder == all_.by_folder_.end()) part.changes.push_back({"components", {}, {}, {}});
        else collect(*folder->second, part);
      }
      for (const std::string& resource : one.resources) {
        if (const auto text = all_.by_name_.find(resource); text != all_.by_name_.end()) {
          part.texts.insert(text->second);
        } else if (const auto folder = all_.by_folder_.find(resource); folder != all_.by_folder_.end()) {
          const Part& inner = part_of(*folder->second);
          part.texts.insert(inner.texts.begin(), inner.texts.end());
          part.unread = part.unread || inner.unread;
        } else {
          const bool file = resource.ends_with(".yaml") || resource.ends_with(".yml") || resource.ends_with(".json");
          part.unread = part.unread || !file || all_.unread_.contains(resource);
        }
      }
    }

    const Builds& all_;
    ConfigSet set_;
    std::map<std::string, Part> parts_;  // by folder
    std::set<std::string> kinds_, by_;
  };

  std::span<const ConfigText> texts_;
  const FolderContents& contents_;
  const ObjectsByFile& objects_;
  std::map<std::string, std::size_t> by_name_;
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
  Folders(std::span<const ConfigText> texts, const Indexes& indexes, const LoadedConfig& loaded) {
    for (const std::size_t i : indexes) {
      names_.insert(texts[i].name);
      texts_.emplace_back(i, folder_of(texts[i].name));
    }
    if (indexes.size() < 2) return;
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

namespace {

std::vector<ConfigSet> sets_of(std::span<const ConfigText> texts, const FolderContents& contents,
                               const LoadedConfig& loaded, bool workloads) {
  const ObjectsByFile objects = contents.kustomizations.empty() ? ObjectsByFile() : objects_of(loaded, workloads);
  std::vector<ConfigSet> out = Builds(texts, contents, objects).sets();
  std::set<std::size_t> taken;
  for (const ConfigSet& set : out) taken.insert(set.texts.begin(), set.texts.end());
  Indexes others;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!taken.contains(i)) others.push_back(i);
  }
  if (!others.empty() || out.empty()) {
    for (ConfigSet& set : Folders(texts, others, loaded).sets()) out.push_back(std::move(set));
  }
  if (out.empty()) out.emplace_back();
  std::sort(out.begin(), out.end(), [](const ConfigSet& a, const ConfigSet& b) {
    return std::pair(a.name.empty(), a.name) < std::pair(b.name.empty(), b.name);
  });
  return out;
}

}  // namespace

std::vector<ConfigSet> sets_of(std::span<const ConfigText> texts, const FolderContents& contents,
                               const LoadedConfig* read) {
  if (read) return sets_of(texts, contents, *read, false);
  return sets_of(texts, contents,
                 texts.size() < 2 && contents.kustomizations.empty() ? LoadedConfig() : load_config(texts), false);
}

std::vector<ConfigSet> sets_to_lint(std::span<const ConfigText> texts, const FolderContents& contents,
                                    const LoadedConfig& loaded) {
  return sets_of(texts, contents, loaded, true);
}

}  // namespace apf
