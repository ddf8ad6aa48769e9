// What is misspelt is not deleted: its author meant something else by it.
#pragma once

#include <vector>

#include "lint/rule.h"

namespace apf {

// Takes from findings the fixes that would delete what some rule, selected or not, calls misspelt. Once that is
// corrected, they are offered again if there is still a reason.
void withhold_deletions(const LintContext& context, std::vector<Diagnostic>& findings);

}  // namespace apf
