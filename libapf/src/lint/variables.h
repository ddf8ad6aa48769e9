// Values that a tool fills in before the object is applied: ${NAME} of Flux and envsubst, $(NAME), @@NAME@@.
#pragma once

#include <span>
#include <vector>

#include <apf/config.h>
#include <apf/findings.h>

namespace apf {

// Errors at such a value say that it is a variable. They are information: what is applied may be right.
void name_variables(std::span<const ConfigText> texts, std::vector<Diagnostic>& findings);

// A key that is unknown as it begins with white space that is no blank.
void name_odd_indents(std::span<const ConfigText> texts, std::vector<Diagnostic>& findings);

}  // namespace apf
