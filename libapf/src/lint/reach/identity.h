// Users as the server's authenticators make them: which groups follow from who somebody is, and from other groups.
#pragma once

#include <string_view>

#include <apf/classify.h>

namespace apf {

bool is_node_name(std::string_view user);

// Is the group all users of a kind, and nobody else can be in it? system:authenticated and system:unauthenticated,
// system:serviceaccounts, system:serviceaccounts:NS, system:nodes.
bool is_group_of_kind(std::string_view group);

// Adds all groups that such a user cannot be without: those of add_implied_groups(), system:nodes of a node,
// system:masters of the server itself, system:bootstrappers of bootstrap tokens and of groups below it.
void add_authenticated_groups(User& user);

}  // namespace apf
