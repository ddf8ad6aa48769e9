// Which resources the API groups of Kubernetes' own have had, release by release: for names that no request carries.
// api_resources.h knows more about those of the newest release.
#pragma once

#include <span>
#include <string_view>

#include <apf/version.h>

#include "base/releases.h"

namespace apf {

// Resources that a group gained, or lost, together.
struct GroupResources {
  std::string_view group;  // empty = core
  std::string_view names;  // plurals, separated by blanks
  Releases in = {};        // that have them in some version, alpha included
};

std::span<const GroupResources> group_resources();

// Is the group one that kube-apiserver itself serves in some release?
bool is_own_group(std::string_view group);
// The row with the resource; null if the group never had it.
const GroupResources* find_group_resource(std::string_view group, std::string_view resource);
inline bool has(const GroupResources& row, KubeVersion version) { return row.in.contain(version); }
// Will a later release have it?
inline bool comes_later(const GroupResources& row, KubeVersion version) {
  return Releases{0, 0, row.in.first_minor - 1, Releases::kNoEnd}.contain(version);
}

// The subresources of a resource, separated by blanks, in any release; empty for an unknown resource.
std::string_view subresources_of(std::string_view group, std::string_view resource);
// The resource that alone has this subresource ("pods" of "exec"); empty if several or none have it.
std::string_view only_parent_of(std::string_view subresource);
bool is_subresource_name(std::string_view name);

// Is `word` among the words of a text, which are separated by blanks?
bool has_word(std::string_view words, std::string_view word);

}  // namespace apf
