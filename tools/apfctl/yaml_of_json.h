// JSON as YAML, for -o yaml.
#pragma once

#include <string>
#include <string_view>

namespace apfctl {

// `json`: valid JSON values, one a line; several become documents.
std::string yaml_of_json(std::string_view json);

}  // namespace apfctl
