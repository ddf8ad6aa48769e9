// Values as Go's encoding/json prints them inside the server's error texts: strings with HTML's characters escaped, and
// the structs of the server's internal API version, whose members have no JSON names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <apf/config.h>
#include <apf/version.h>

namespace apf {

void append_go_json(std::string& out, std::string_view text);
std::string go_json(std::string_view text);
std::string go_json(const std::vector<std::string>& texts);

// The spec of a defaulted object. A list that the object leaves out prints as null, one that is empty as [].
std::string go_spec_json(const FlowSchema& schema);
// Releases before 1.26 and 1.28 know fewer fields.
std::string go_spec_json(const PriorityLevel& level, KubeVersion version);

}  // namespace apf
