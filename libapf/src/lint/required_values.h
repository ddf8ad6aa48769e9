// Where the server says that a value is required: what the author most likely took for granted, and what to write.
#pragma once

#include <vector>

#include <apf/config.h>
#include <apf/findings.h>

namespace apf {

void explain_required_values(const LoadedConfig& loaded, std::vector<Diagnostic>& findings);

}  // namespace apf
