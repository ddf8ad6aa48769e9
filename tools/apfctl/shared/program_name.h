// What the user types: "apfctl", or "kubectl apfctl" where the program is installed as kubectl-apfctl.
#pragma once

#include <string>

namespace apfctl {

void name_program(const char* argv0);
const std::string& program_name();
// `text` with that name in place of "apfctl".
std::string as_typed(std::string text);

}  // namespace apfctl
