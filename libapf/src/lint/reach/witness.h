// Requests that show something, and the command that asks apfctl about them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <apf/classify.h>
#include <apf/config.h>
#include <apf/version.h>

#include "lint/reach/index.h"

namespace apf {

// What the values of a target stand for, by side; 0 is what is not named, which `unnamed` stands for.
struct RequestNames {
  std::function<std::string_view(std::size_t side, std::uint32_t id)> text;
  std::string unnamed;
};

// Requests of the target, the likeliest first: real resources in their own group and scope where "*" leaves the choice.
// A bounded number, the last of which has the first of the target's values on every side.
std::vector<RequestInfo> likely_requests(const RequestNames& names, const ReachTarget& target);
std::vector<RequestInfo> likely_requests(const ReachIndex& index, const ReachTarget& target);
// How many of them a rule tries, for each part and user.
inline constexpr std::size_t kTriesPerPart = 8;

// "list pods -n ci": the words of explain, and of a test file; empty if no request can be like this.
std::string request_words(const RequestInfo& request);

// "apfctl explain list pods -n ci --as alice -f …"; empty if no request can be like this.
std::string explain_command(const User& user, const RequestInfo& request, const std::string& flags);

// The flags that name the configuration's files and the release.
std::string command_flags(const Config& config, KubeVersion version);

}  // namespace apf
