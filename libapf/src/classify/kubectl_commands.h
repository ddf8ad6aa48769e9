// Commands of kubectl that are no verbs: which requests they send.
#pragma once

#include <string>
#include <string_view>

namespace apf {

// "kubectl logs sends 'get pods/log web'", of the command with the words behind it; empty if kubectl has no such
// command.
std::string requests_of_kubectl(std::string_view command, std::string_view resource, std::string_view name);

}  // namespace apf
