#include "lint/reach/identity.h"

#include <algorithm>
#include <string>

#include "base/identities.h"

namespace apf {

namespace {

constexpr std::string_view kBootstrappers = "system:bootstrappers";

}  // namespace

// A node's name has no asterisk: who writes one means all nodes, and names nobody.
bool is_node_name(std::string_view user) {
  return user.starts_with(kNodePrefix) && user.find('*') == std::string_view::npos;
}

bool is_group_of_kind(std::string_view group) {
  return group == "system:authenticated" || group == "system:unauthenticated" || group == kNodesGroup ||
         group == kServiceAccountsGroup || group.starts_with(kNamespaceGroupPrefix);
}

void add_authenticated_groups(User& user) {
  const auto add = [&](std::string_view group) {
    if (std::find(user.groups.begin(), user.groups.end(), group) == user.groups.end()) user.groups.emplace_back(group);
  };
  const std::string_view name = user.name;
  if (is_node_name(name)) add(kNodesGroup);
  if (name == "system:apiserver") add("system:masters");
  const bool bootstraps = std::any_of(user.groups.begin(), user.groups.end(), [](const std::string& group) {
    return group.size() > kBootstrappers.size() && group.starts_with(kBootstrappers) &&
           group[kBootstrappers.size()] == ':';
  });
  if (bootstraps || name.starts_with("system:bootstrap:")) add(kBootstrappers);
  add_implied_groups(user);
}

}  // namespace apf
