// Where the server says that a value is invalid or forbidden: what the author most likely expected of it, and what to
// write. Its sentences about labels and regular expressions do not tell.
#pragma once

#include <vector>

#include <apf/config.h>
#include <apf/findings.h>

namespace apf {

void explain_invalid_values(const LoadedConfig& loaded, KubeVersion version, std::vector<Diagnostic>& findings);

}  // namespace apf
