// Several findings with one cause become one that names it: subjects as RBAC writes them, and items of lists that a
// stray "-" splits. And what the server rejects gets a fix where its cure is known.
#pragma once

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <apf/config.h>
#include <apf/findings.h>

#include "config/tree.h"

namespace apf {

// The FlowSchema or level that a finding is about; null if it is about another kind.
const ConfigNode* tree_of(const LoadedConfig& loaded, const Diagnostic& finding);

// What a note of the finding asks about: 'did you mean "queuing"?'; empty where none does.
std::string meant_by(const Diagnostic& finding);

// `findings`: what reading and validating found in `loaded`.
void name_causes(const LoadedConfig& loaded, std::vector<Diagnostic>& findings);

// Fixes for misspelt values of closed sets, and for API versions that the release no longer serves.
void offer_rejection_fixes(const LoadedConfig& loaded, KubeVersion version, std::vector<Diagnostic>& findings);

// The objects with fields that their version of the API does not know, or fields that come twice. Another version may
// know them: their version is not to be changed without a thought.
class UnknownFields {
 public:
  explicit UnknownFields(const LoadedConfig& loaded);
  bool of(const Diagnostic& finding) const;

 private:
  std::set<std::tuple<std::string, int, std::string, std::string>> objects_;  // file, document, kind, name
};

// What makes the level one of another version of the API, if its seats are the same there; else nothing.
std::vector<Edit> version_edits(const PriorityLevel& level, std::string_view to);

}  // namespace apf
