// The resources that every Kubernetes cluster has: group, version, scope and the names kubectl takes for them.
#pragma once

#include <span>
#include <string_view>

namespace apf {

struct ApiResource {
  std::string_view name;     // plural, as in URLs
  std::string_view aliases;  // singular and short forms, separated by blanks
  std::string_view group;    // empty = core
  std::string_view version;
  bool namespaced = false;
};

std::span<const ApiResource> api_resources();

// By any of its names; `group` null = whichever comes first (core before others). Null if there is none.
const ApiResource* find_api_resource(std::string_view name, const std::string_view* group);

// "policies" of "policy", "classes" of "class", "pods" of "pod".
bool is_plural_of(std::string_view plural, std::string_view word);

}  // namespace apf
