// Entries of lists of resources that no request matches, in FlowSchemas and audit policies.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apf/findings.h>
#include <apf/version.h>

namespace apf {

struct EntryMistake {
  std::string message;     // "\"podz\" matches no request: …"
  std::string whole;       // what it is taken for: "pods/log"; empty: not known
  std::string_view group;  // the group that has it
  bool elsewhere = false;  // that is none of the groups given
  std::string note;        // empty: none
  Severity severity = Severity::warning;
};

// `entry` beside these groups, in this release. Nothing if requests may match it, and for what other rules find:
// wildcards, kinds, and groups and versions within names.
std::optional<EntryMistake> mistake_in_entry(const std::string& entry, const std::vector<std::string>& groups,
                                             KubeVersion version);

}  // namespace apf
