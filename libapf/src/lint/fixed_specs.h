// What differs in an object whose spec the server fixes (exempt, catch-all), which itself prints the whole of it.
#pragma once

#include <vector>

#include <apf/config.h>
#include <apf/findings.h>

namespace apf {

// `stored`, `builtins`: with defaults.
void explain_fixed_specs(const Config& stored, const Config& builtins, std::vector<Diagnostic>& findings);

}  // namespace apf
