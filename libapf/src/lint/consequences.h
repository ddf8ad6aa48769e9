// Findings that follow from another one about the same object: whoever mends that is rid of them, too.
#pragma once

#include <vector>

#include <apf/findings.h>

#include "lint/rule.h"

namespace apf {

// Of a FlowSchema that no request reaches, that alone is said. Of one that takes the requests of the cluster's own
// components, not also that it shares its precedence with their FlowSchemas.
void drop_consequences(const LintContext& context, std::vector<Diagnostic>& findings);

// What is forbidden or missing beside a type that is misspelt or missing: which members a level has, its type decides.
void drop_members_of_unknown_types(std::vector<Diagnostic>& findings);

// Of two objects without "---" between them, which YAML reads as one, one finding says so.
void name_missing_separators(std::vector<Diagnostic>& findings);

}  // namespace apf
