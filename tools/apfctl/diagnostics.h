// Faults in a user's file, shown with the line they stand in.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <apf/config.h>
#include <apf/diagnostic.h>

namespace apfctl {

// "file:line:column: error: message", the source line and a caret below it, notes likewise.
std::string render_diagnostics(const std::vector<apf::Diagnostic>& diagnostics, std::span<const apf::ConfigText> texts,
                               bool color);

}  // namespace apfctl
