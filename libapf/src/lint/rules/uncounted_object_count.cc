// APF702: count/ of a resource that does not exist under that name and group.
#include <algorithm>
#include <cctype>

#include <fmt/core.h>

#include "base/api_resources.h"
#include "base/releases.h"
#include "lint/quota_keys.h"

namespace apf {

namespace {

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

// What is wrong, with the cure; empty if nothing is, or nothing that can be known.
std::string fault_of(std::string_view key, KubeVersion version_of_server) {
  const std::string_view whole = key.substr(std::string_view("count/").size());
  const std::string_view written = whole.substr(0, whole.find('.'));
  std::string name(written);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::string_view version;
  const std::string_view group =
      without_version(written.size() == whole.size() ? std::string_view() : whole.substr(written.size() + 1), version);
  const ApiResource* found = find_api_resource(name, &group);
  if (!found && is_built_in(group)) {  // the name under another group, if it is nobody else's
    found = find_api_resource(name, nullptr);
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

void check_uncounted_object_count(const LintContext& context, Findings& findings) {
  for (const ResourceQuota& quota : context.loaded.resource_quotas) {
    for (const auto& [key, amount] : quota.spec.hard) {
      if (!is_object_count(key) || !is_valid_key(key)) continue;
      const std::string fault = fault_of(key, context.options.version);
      if (!fault.empty()) add_at_key(findings, quota, key, fmt::format("\"{}\" never counts anything: {}", key, fault));
    }
  }
}

}  // namespace

extern const Rule rule_uncounted_object_count = {
    .code = "APF702",
    .name = "uncounted-object-count",
    .severity = Severity::warning,
    .group = RuleGroup::resource_quota,
    .summary = "count/ is followed by a name that isn't a resource",
    .what = R"(The part after count/ isn't the plural of a resource, has the wrong group or none, or has a version.
Custom resources, which apfctl can't know, aren't checked.)",
    .why = R"(The server accepts any name after count/. A quota counts objects as count/PLURAL in the core group and
count/PLURAL.GROUP in others, without a version. Under any other name it counts and limits nothing. Cluster-scoped
resources and events are never counted.)",
    .example = R"(apiVersion: v1
kind: ResourceQuota
metadata:
  name: objects
  namespace: team-a
spec:
  hard:
    count/deployments: "10"
)",
    .instead = R"(spec:
  hard:
    count/deployments.apps: "10"
)",
    .check = check_uncounted_object_count,
};

}  // namespace apf
