// The names that begin with "system:": users and groups of Kubernetes itself, and what a misspelt one means.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <apf/findings.h>

namespace apf {

enum class NameKind { user, group };

// A name that some component or authenticator really uses. Of system:node:NAME, system:serviceaccount:NS:NAME,
// system:serviceaccounts:NS and the like the shape is checked.
bool is_system_name(NameKind kind, std::string_view name);

// What a name was meant to be that nobody has.
struct MeantName {
  NameKind kind = NameKind::user;
  std::string name;  // as in "system:node:NAME" if `is_pattern`
  bool is_pattern = false;
  Severity severity = Severity::warning;  // info: somebody may have that name all the same
  bool of_role = false;                   // the name is that of a ClusterRole
};
std::optional<MeantName> meant_system_name(NameKind kind, std::string_view name);

// The namespace of every cluster that a name is one slip away from; empty if it is none.
std::string_view meant_system_namespace(std::string_view name);
// The name of a service account or of a group of them with such a namespace in place of a misspelt one; empty if it has
// none.
std::string with_meant_namespace(std::string_view name);

}  // namespace apf
