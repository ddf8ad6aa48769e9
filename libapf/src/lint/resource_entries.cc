// What no request matches, and what it is taken for.
#include "lint/resource_entries.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/api_groups.h"
#include "config/closest.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

// What other rules look at: wildcards, kinds, groups and versions within names.
bool is_plain(std::string_view name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
}

std::string group_words(std::string_view group) {
  return group.empty() ? std::string("the core group") : fmt::format("the group \"{}\"", group);
}

std::string groups_words(const std::vector<std::string>& groups) {
  return groups.size() == 1 ? group_words(groups[0]) : std::string("any of these groups");
}

// The group of Kubernetes' own that has the resource in this release; null if none or several have it.
const GroupResources* only_group_of(std::string_view resource, KubeVersion version) {
  const GroupResources* only = nullptr;
  for (const GroupResources& row : group_resources()) {
    if (!has(row, version) || !has_word(row.names, resource)) continue;
    if (only) return nullptr;
    only = &row;
  }
  return only;
}

// What a kubelet asks the server about who calls its own API, in SubjectAccessReviews. RBAC has rules for these; the
// server gets no requests for them.
bool is_kubelets_own(std::string_view group, std::string_view resource, std::string_view subresource) {
  constexpr std::string_view kOfKubelets[] = {"stats",   "metrics", "log",  "spec",
                                              "healthz", "configz", "pods", "checkpoint"};
  return group.empty() && resource == "nodes" &&
         std::find(std::begin(kOfKubelets), std::end(kOfKubelets), subresource) != std::end(kOfKubelets);
}

// The built-in resource of which `name` is a short name or singular, whatever its group.
const ApiResource* abbreviated(std::string_view name) {
  const ApiResource* found = find_api_resource(name, nullptr);
  return found && found->name != name ? found : nullptr;
}

// Short names in their own group are rule kind-or-singular-resource's concern.
bool is_short_name_here(const std::vector<std::string>& groups, std::string_view name) {
  return std::any_of(groups.begin(), groups.end(), [&](const std::string& group) {
    const std::string_view view = group;
    return find_api_resource(name, &view) != nullptr;
  });
}

std::vector<std::string_view> resources_in(const std::vector<std::string>& groups, KubeVersion version) {
  std::vector<std::string_view> out;
  for (const GroupResources& row : group_resources()) {
    if (!has(row, version) || !holds(groups, row.group)) continue;
    for (std::string_view rest = row.names; !rest.empty();) {
      out.push_back(rest.substr(0, rest.find(' ')));
      rest.remove_prefix(std::min(rest.size(), out.back().size() + 1));
    }
  }
  return out;
}

class Entry {
 public:
  Entry(const std::string& entry, const std::vector<std::string>& groups, KubeVersion version)
      : entry_(entry), name_(resource_of(entry)), groups_(groups), version_(version) {}

  std::optional<EntryMistake> mistake() {
    const bool any_group = is_any(groups_);
    if (!any_group && !std::all_of(groups_.begin(), groups_.end(), is_own_group)) return std::nullopt;
    const bool begins_with_group = entry_.size() > name_.size() && is_own_group(name_);  // rule group-in-resource
    if (!is_plain(name_) || begins_with_group) return std::nullopt;
    any_group ? look_in_any_group() : look();
    if (found_.message.empty()) return std::nullopt;
    return std::move(found_);
  }

 private:
  // A custom resource may have any name: only what looks like nothing else is a mistake.
  void look_in_any_group() {
    for (const GroupResources& row : group_resources()) {
      if (has_word(row.names, name_)) return;
    }
    const std::string_view parent = only_parent_of(name_);
    const ApiResource* meant = abbreviated(name_);
    if (!parent.empty() && entry_ == name_) {
      of_parent(parent);
    } else if (meant && !is_plural_of(meant->name, name_)) {  // singulars are rule kind-or-singular-resource's concern
      found_.whole = std::string(meant->name) + entry_.substr(name_.size());
      found_.message = fmt::format("no resource of Kubernetes is named \"{}\"; {}", entry_, did_you_mean(found_.whole));
    }
    found_.severity = Severity::info;
  }

  void look() {
    const GroupResources* gone = nullptr;
    for (const std::string& group : groups_) {
      const GroupResources* row = find_group_resource(group, name_);
      if (row && has(*row, version_)) return look_at_subresource(group);
      if (row) gone = row;
    }
    if (gone) return of_another_release(*gone);
    if (is_short_name_here(groups_, name_)) return;
    if (const GroupResources* row = only_group_of(name_, version_)) {
      found_.message =
          fmt::format("\"{}\" isn't in {}: it is in {}", entry_, groups_words(groups_), group_words(row->group));
      set_whole(entry_, row->group);
      found_.elsewhere = true;
    } else if (entry_ == name_ && is_subresource_name(name_)) {
      of_parent(only_parent_of(name_));
    } else if (const ApiResource* meant = abbreviated(name_)) {
      set_whole(std::string(meant->name) + entry_.substr(name_.size()), meant->group);
      found_.elsewhere = true;
      no_request(fmt::format("the resource is \"{}\", in {}", found_.whole, group_words(meant->group)));
    } else {
      of_nothing();
    }
  }

  void no_request(const std::string& why) {
    found_.message = fmt::format("\"{}\" matches no request: {}", entry_, why);
  }

  void set_whole(std::string whole, std::string_view group) {
    found_.whole = std::move(whole);
    found_.group = group;
  }

  void of_another_release(const GroupResources& row) {
    const bool later = comes_later(row, version_);
    found_.message =
        fmt::format("\"{}\" matches no request in {}: {} has it {} 1.{}", entry_, version_.str(),
                    group_words(row.group), later ? "from" : "until", later ? row.in.first_minor : row.in.last_minor);
    found_.severity = Severity::info;
  }

  void of_parent(std::string_view parent) {
    if (parent.empty()) {
      no_request("it is a subresource, and is written behind its resource");
      found_.note = fmt::format("for example \"{}/{}\"", entry_ == "scale" ? "deployments" : "nodes", entry_);
      return;
    }
    set_whole(fmt::format("{}/{}", parent, entry_), find_api_resource(parent, nullptr)->group);
    no_request(fmt::format("the subresource is written \"{}\"", found_.whole));
  }

  void of_nothing() {
    const std::string why = "no such resource is in " + groups_words(groups_);
    const std::vector<std::string_view> known = resources_in(groups_, version_);
    const std::string_view near = closest(name_, known);
    if (near.empty()) {
      std::vector<std::string_view> all;
      for (const ApiResource& resource : api_resources()) all.push_back(resource.name);
      const std::string_view elsewhere = closest(name_, all);
      no_request(why);
      if (!elsewhere.empty()) found_.note = did_you_mean(elsewhere);
      return;
    }
    const auto group = std::find_if(groups_.begin(), groups_.end(),
                                    [&](const std::string& one) { return find_group_resource(one, near) != nullptr; });
    set_whole(std::string(near) + entry_.substr(name_.size()), *group);
    no_request(why + "; " + did_you_mean(found_.whole));
  }

  void look_at_subresource(const std::string& group) {
    const std::string_view subresource = subresource_of(entry_), known = subresources_of(group, name_);
    if (subresource.empty() || known.empty() || has_word(known, subresource)) return;
    if (subresource.find_first_of("*/") != std::string_view::npos || subresource == "finalizers") return;
    if (is_kubelets_own(group, name_, subresource)) {
      no_request("RBAC names a kubelet's own API so, and requests to a kubelet don't come to the API server");
      found_.note = "what the API server passes on to a kubelet is \"nodes/proxy\"";
      return;
    }
    std::vector<std::string_view> names;
    for (std::string_view rest = known; !rest.empty();) {
      names.push_back(rest.substr(0, rest.find(' ')));
      rest.remove_prefix(std::min(rest.size(), names.back().size() + 1));
    }
    std::string_view near = closest(subresource, names);
    if (near == "-") near = {};
    if (!near.empty()) set_whole(fmt::format("{}/{}", name_, near), group);
    no_request(fmt::format("{} have no subresource \"{}\"{}", name_, subresource,
                           near.empty() ? "" : "; " + did_you_mean(found_.whole)));
  }

  const std::string& entry_;
  const std::string_view name_;
  const std::vector<std::string>& groups_;
  const KubeVersion version_;
  EntryMistake found_;
};

}  // namespace

std::optional<EntryMistake> mistake_in_entry(const std::string& entry, const std::vector<std::string>& groups,
                                             KubeVersion version) {
  return Entry(entry, groups, version).mistake();
}

}  // namespace apf
