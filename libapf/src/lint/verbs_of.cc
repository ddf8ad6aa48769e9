#include "lint/verbs_of.h"

#include <algorithm>

#include "lint/given_schemas.h"

namespace apf {

namespace {

constexpr std::string_view kCreated[] = {"create"};
constexpr std::string_view kChanged[] = {"get", "patch", "update"};
constexpr std::string_view kOfOneObject[] = {"get", "create", "update", "patch", "delete"};

// Subresources that are posted and nothing else, and those that are a part of their object.
constexpr std::string_view kCreatedSubresources[] = {"eviction", "binding", "token"};
constexpr std::string_view kPartsOfObjects[] = {"status", "scale"};
constexpr std::string_view kCreatedResources[] = {"bindings",
                                                  "tokenreviews",
                                                  "selfsubjectreviews",
                                                  "localsubjectaccessreviews",
                                                  "selfsubjectaccessreviews",
                                                  "selfsubjectrulesreviews",
                                                  "subjectaccessreviews"};

template <std::size_t N>
bool names(const std::string_view (&list)[N], std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

// A wildcard, a kind, a singular or a short name: other rules say that no request has it.
bool is_misnamed(std::string_view resource) {
  const ApiResource* known = find_api_resource(resource, nullptr);
  return (known && known->name != resource) ||
         std::any_of(resource.begin(), resource.end(), [](char c) { return c == '*' || (c >= 'A' && c <= 'Z'); });
}

}  // namespace

std::span<const std::string_view> verbs_of_entry(const ResourceRule& rule, std::string_view entry) {
  const std::string_view sub = subresource_of(entry);
  if (is_misnamed(resource_of(entry))) return {};
  const bool created = sub.empty() ? names(kCreatedResources, entry) : names(kCreatedSubresources, sub);
  // Another group may have a resource of that name that is read, too.
  const bool sure = !sub.empty() || !is_any(rule.api_groups);
  if (created && sure && !built_in_resources(rule, resource_of(entry)).empty()) return kCreated;
  if (sub.empty() || sub == "*") return {};
  if (names(kPartsOfObjects, sub)) return kChanged;
  return kOfOneObject;
}

bool can_have_verb(const ResourceRule& rule, std::string_view entry, std::string_view verb) {
  const std::span<const std::string_view> verbs = verbs_of_entry(rule, entry);
  return verbs.empty() || verb == "*" || std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

}  // namespace apf
