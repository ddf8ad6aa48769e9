// How the server names nodes and service accounts, and the groups that they are in.
#pragma once

#include <string>
#include <string_view>

namespace apf {

inline constexpr std::string_view kNodePrefix = "system:node:", kNodesGroup = "system:nodes";
inline constexpr const char* kAllNodes = "system:node:*";  // as flags and reports name all of them
// A service account is in the group of all of them, and in that of its namespace: the group's name, ":" and the
// namespace.
inline constexpr std::string_view kServiceAccountPrefix = "system:serviceaccount:",
                                  kServiceAccountsGroup = "system:serviceaccounts",
                                  kNamespaceGroupPrefix = "system:serviceaccounts:";

// Whether the cluster itself runs by this user: nodes, what system:kube-* stands for, the API server, and the service
// accounts of kube-system.
bool is_control_plane(std::string_view user);

// The shortest name that user_named() takes for the user: "sa:NAMESPACE/NAME", "node:NAME", or the name as it is.
std::string short_name_of(const std::string& user);

}  // namespace apf
