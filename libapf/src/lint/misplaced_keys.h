// Keys that the API does not know where they stand: which one was meant, and where it belongs.
#pragma once

#include <vector>

#include <apf/config.h>
#include <apf/findings.h>

namespace apf {

// An unknown field that explains why a required one is missing becomes the one finding of both, with the right place.
void place_keys(const LoadedConfig& loaded, std::vector<Diagnostic>& findings);

}  // namespace apf
