// The rules of the KEP's own dialect that hold between the fields of an object and between objects.
#pragma once

#include <vector>

#include <apf/config.h>

namespace apf {

// Appends the errors of the given objects of the dialect. There is no server whose words these could be.
void validate_kep(const LoadedConfig& loaded, std::vector<Diagnostic>& out);

// Does the FlowSchema accept every request?
bool accepts_everything(const FlowSchema& schema);

}  // namespace apf
