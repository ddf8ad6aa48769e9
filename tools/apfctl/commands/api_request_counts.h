// APIRequestCount objects of OpenShift where a log is expected.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apf/log_summary.h>

namespace apfctl {

// What files and folders hold, if all of it is such objects; else nothing.
std::optional<apf::ApiRequestCounts> find_api_request_counts(const std::vector<std::string>& paths);

}  // namespace apfctl
