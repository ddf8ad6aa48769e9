// Keys of spec.hard under which nothing is ever counted.
#include <algorithm>
#include <cctype>

#include <fmt/core.h>

#include "base/api_resources.h"
#include "base/releases.h"
#include "base/text.h"
#include "config/closest.h"
#include "config/resource_quota.h"
#include "lint/quota_keys.h"

namespace apf {

namespace {

constexpr std::string_view kStorageClass = ".storageclass.storage.k8s.io/",
                           kDeviceClass = ".deviceclass.resource.k8s.io/";

std::string key_of(const ApiResource& resource) {
  std::string key = "count/" + std::string(resource.name);
  return resource.group.empty() ? key : key + "." + std::string(resource.group);
}

bool is_built_in(std::string_view group) {
  const auto resources = api_resources();
  return group == "extensions" ||
         std::any_of(resources.begin(), resources.end(), [&](const ApiResource& r) { return r.group == group; });
}

// v1, v1beta1, v2alpha3
bool begins_as_version(std::string_view text) {
  return text.size() > 1 && text[0] == 'v' && std::isdigit(static_cast<unsigned char>(text[1]));
}

// "v1.apps" and "apps.v1" of "apps"; the version that was taken off is left in `version`.
std::string_view without_version(std::string_view group, std::string_view& version) {
  const std::string_view first = group.substr(0, group.find('.'));
  if (begins_as_version(first)) {
    version = first;
    return group.size() == first.size() ? std::string_view() : group.substr(first.size() + 1);
  }
  const std::size_t dot = group.rfind('.');
  if (dot != group.npos && begins_as_version(group.substr(dot + 1))) {
    version = group.substr(dot + 1);
    return group.substr(0, dot);
  }
  return group;
}

// The resources that the plugin ignores.
bool is_ignored(const ApiResource& resource) {
  static constexpr std::string_view kIgnored[] = {"bindings", "events", "localsubjectaccessreviews"};
  return std::find(std::begin(kIgnored), std::end(kIgnored), resource.name) != std::end(kIgnored);
}

// A name that quota counts without count/ before it: services.loadbalancers, requests.cpu. Empty: it is none of them.
std::string_view name_without_count(std::string_view whole) {
  const std::string_view near = closest(whole, standard_quota_resources());
  const bool is_resource = near.find('.') == near.npos && find_api_resource(near, nullptr);
  return is_resource ? std::string_view() : near;
}

// Of a group that Kubernetes does not have. Groups of custom resources have a dot in their name.
std::string unknown_group_fault(std::string_view name, std::string_view group, std::string_view whole) {
  if (group.find('.') != group.npos) return {};
  const std::string_view meant = name_without_count(whole);
  if (!meant.empty()) return fmt::format("it means {} of a group \"{}\": write \"{}\"", name, group, meant);
  const ApiResource* known = find_api_resource(name, nullptr);
  const std::string cure = known && known->namespaced && !is_ignored(*known)
                               ? fmt::format("write \"{}\"", key_of(*known))
                               : "groups of custom resources have a dot in their name";
  return fmt::format("there is no group \"{}\": {}", group, cure);
}

}  // namespace

std::string object_count_fault(std::string_view key, KubeVersion version_of_server) {
  const std::string_view whole = key.substr(std::string_view("count/").size());
  const std::string_view written = whole.substr(0, whole.find('.'));
  const std::string name = in_lower_case(written);
  std::string_view version;
  const std::string_view group =
      without_version(written.size() == whole.size() ? std::string_view() : whole.substr(written.size() + 1), version);
  const ApiResource* found = find_api_resource(name, &group);
  if (!found && is_built_in(group)) {  // the name under another group, if it is nobody else's
    found = find_api_resource(name, nullptr);
    if (const std::string_view meant = name_without_count(whole); !found && group.empty() && !meant.empty())
      return fmt::format("{} has no count/ before it: write \"{}\"", meant, meant);
    if (!found && group.empty())
      return "the core group has no such resource; for another group, write count/NAME.GROUP";
    // The groups of Kubernetes that grow from release to release may have it.
    if (!found) return group.ends_with(".k8s.io") ? "" : fmt::format("the group {} has no such resource", group);
    if (group == "extensions" && found->name == "ingresses" && has(version_of_server, Feature::extensions_ingresses))
      return {};
    if (found->namespaced && !is_ignored(*found))
      return fmt::format("this resource isn't in {}: write \"{}\"",
                         group.empty() ? "the core group" : fmt::format("the group {}", group), key_of(*found));
  }
  if (!found) {
    if (std::string fault = unknown_group_fault(name, group, whole); !is_built_in(group) && !fault.empty())
      return fault;
    if (!version.empty() && !group.empty())
      return fmt::format("the key must not have a version: write \"count/{}.{}\"", written, group);
    return written == name ? std::string() : "resources are lower case and plural";
  }
  if (!found->namespaced)
    return fmt::format("{} are cluster-scoped, and a quota counts only objects of its namespace", found->name);
  if (is_ignored(*found)) return fmt::format("the quota plugin ignores {}", found->name);
  if (key_of(*found) == key) return {};
  return fmt::format("{}: write \"{}\"",
                     version.empty() ? "resources are lower case and plural" : "the key has no version",
                     key_of(*found));
}

std::string counted_quota_name(std::string_view key) {
  if (key.find('/') == key.npos || is_object_count(key) || key.starts_with("requests.") ||
      key.find("openshift.io/") != key.npos)
    return {};
  const std::string_view last = key.substr(key.find('/') + 1);
  const std::string prefix(key.substr(0, key.find('/') + 1));
  if (key.find(kStorageClass) != key.npos) {
    if (last == "persistentvolumeclaims" || last == "requests.storage") return {};
    return prefix + (last.find("storage") != last.npos ? "requests.storage" : "persistentvolumeclaims");
  }
  if (key.find(kDeviceClass) != key.npos) return last == "devices" ? std::string() : prefix + "devices";
  const std::string_view name = key.starts_with("limits.") ? key.substr(7) : key;
  return is_extended_resource(name) ? "requests." + std::string(name) : std::string();
}

bool counts_nothing(std::string_view key, KubeVersion version) {
  return is_object_count(key) ? !object_count_fault(key, version).empty() : !counted_quota_name(key).empty();
}

}  // namespace apf
