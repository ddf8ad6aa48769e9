// Several findings with one cause become one that names it: subjects as RBAC writes them, and items of lists that a
// stray "-" splits. And what the server rejects gets a fix where its cure is known.
#pragma once

#include <vector>

#include <apf/config.h>
#include <apf/findings.h>

namespace apf {

// `findings`: what reading and validating found in `loaded`.
void name_causes(const LoadedConfig& loaded, std::vector<Diagnostic>& findings);

// Fixes for misspelt values of closed sets, and for API versions that the release no longer serves.
void offer_rejection_fixes(const LoadedConfig& loaded, KubeVersion version, std::vector<Diagnostic>& findings);

// What makes the level one of another version of the API, if its seats are the same there; else nothing.
std::vector<Edit> version_edits(const PriorityLevel& level, std::string_view to);

}  // namespace apf
