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

bool is_below(const Path& path, const Path& root) {
  return path.size() >= root.size() && std::equal(root.begin(), root.end(), path.begin());
}

// The folders in which the ways to two files part. Nothing: they lie in the same folder.
std::pair<Path, Path> parting(const Path& a, const Path& b) {
  std::size_t common = 0;
  while (common < a.size() && common < b.size() && a[common] == b[common]) ++common;
  const bool same_folder = common + 1 >= a.size() || common + 1 >= b.size();
  if (same_folder) return {};
  const auto upto = [&](const Path& path) {
    return Path(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(common) + 1);
  };
  return {upto(a), upto(b)};
}

using SharedObject = std::tuple<std::string, std::string, std::string>;  // kind, namespace, name

class Folders {
 public:
  Folders(std::span<const ConfigText> texts, const Indexes& indexes) {
    std::vector<ConfigText> own;
    for (const std::size_t i : indexes) {
      own.push_back(texts[i]);
      paths_.emplace_back(i, parts_of(texts[i].name));
    }
    const LoadedConfig loaded = load_config(own);
    for (const Config* part : {&loaded.config, &loaded.replaced}) {
      for (const FlowSchema& o : part->flow_schemas) note(o.meta, "FlowSchema", {});
      for (const PriorityLevel& o : part->priority_levels) note(o.meta, "PriorityLevelConfiguration", {});
    }
    for (const auto* quotas : {&loaded.resource_quotas, &loaded.replaced_resource_quotas})
      for (const ResourceQuota& o : *quotas)
        if (!o.ns.empty()) note(o.meta, "ResourceQuota", o.ns);
  }

  std::vector<ConfigSet> sets() {
    for (const auto& [key, places] : places_) {
      for (std::size_t a = 0; a < places.size(); ++a)
        for (std::size_t b = a + 1; b < places.size(); ++b) add_roots(places[a], places[b]);
    }
    std::vector<ConfigSet> out;
    for (const Path& root : roots_) {
      const bool inner = std::none_of(roots_.begin(), roots_.end(),
                                      [&](const Path& other) { return other != root && is_below(other, root); });
      if (inner) out.push_back(set_of(root));
    }
    add_the_rest(out);
    return out;
  }

 private:
  void note(const ObjectMeta& meta, const char* kind, const std::string& ns) {
    if (!meta.name.empty()) places_[{kind, ns, meta.name}].push_back(parts_of(meta.source.file));
  }

  std::set<SharedObject> objects_below(const Path& root) const {
    std::set<SharedObject> out;
    for (const auto& [key, places] : places_) {
      if (std::any_of(places.begin(), places.end(), [&](const Path& path) { return is_below(path, root); }))
        out.insert(key);
    }
    return out;
  }

  // Both have the greater part of what the smaller one has: environments. One object in common is a mistake.
  void add_roots(const Path& a, const Path& b) {
    auto [one, other] = parting(a, b);
    if (one.empty() || (roots_.contains(one) && roots_.contains(other)) || !judged_.insert({one, other}).second) return;
    const std::set<SharedObject> of_one = objects_below(one), of_other = objects_below(other);
    const auto both = static_cast<std::size_t>(
        std::count_if(of_one.begin(), of_one.end(), [&](const SharedObject& key) { return of_other.contains(key); }));
    if (2 * both < std::min(of_one.size(), of_other.size())) return;
    roots_.insert(std::move(one));
    roots_.insert(std::move(other));
  }

  // What lies below the root, and what lies above it in no other root: all environments share that.
  ConfigSet set_of(const Path& root) const {
    ConfigSet set;
    for (const std::string& part : root) {
      if (part != ".") set.name += (set.name.empty() ? "" : "/") + part;
    }
    if (set.name.empty()) set.name = ".";
    for (const auto& [index, path] : paths_) {
      const bool elsewhere = std::any_of(roots_.begin(), roots_.end(), [&, &at = path](const Path& other) {
        return is_below(at, other) && !is_below(root, other);
      });
      if (!elsewhere) set.texts.push_back(index);
    }
    return set;
  }

  // What is in no set: below a root that has roots of its own.
  void add_the_rest(std::vector<ConfigSet>& sets) const {
    std::set<std::size_t> taken;
    for (const ConfigSet& set : sets) taken.insert(set.texts.begin(), set.texts.end());
    ConfigSet rest;
    for (const auto& [index, path] : paths_) {
      if (!taken.contains(index)) rest.texts.push_back(index);
    }
    if (!rest.texts.empty()) sets.push_back(std::move(rest));
  }

  std::vector<std::pair<std::size_t, Path>> paths_;
  std::map<SharedObject, std::vector<Path>> places_;
  std::set<std::pair<Path, Path>> judged_;
  std::set<Path> roots_;
};

}  // namespace

std::vector<ConfigSet> sets_of(std::span<const ConfigText> texts, const FolderContents& contents) {
  std::vector<ConfigSet> out = Builds(texts, contents).sets();
  std::set<std::size_t> taken;
  for (const ConfigSet& set : out) taken.insert(set.texts.begin(), set.texts.end());
  Indexes others;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!taken.contains(i)) others.push_back(i);
  }
  if (!others.empty() || out.empty()) {
    for (ConfigSet& set : Folders(texts, others).sets()) out.push_back(std::move(set));
  }
  if (out.empty()) out.emplace_back();
  std::sort(out.begin(), out.end(), [](const ConfigSet& a, const ConfigSet& b) {
    return std::pair(a.name.empty(), a.name) < std::pair(b.name.empty(), b.name);
  });
  return out;
}

}  // namespace apf
