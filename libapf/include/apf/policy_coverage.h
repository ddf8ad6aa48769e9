// Which requests of each FlowSchema an audit policy records: what policy_coverage() of <apf/lint.h> finds, and what
// stat_logs() and replays say that a log is without.
//
//   const auto say = [](const apf::PolicyCoverage& coverage) {
//     for (const apf::PolicySchema& schema : coverage.schemas)
//       if (schema.recorded == apf::PolicySchema::Recorded::nothing) std::puts(schema.name.c_str());
//   };
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace apf {

// Some texts: those named, or all but those named.
struct TextSet {
  bool others = true;
  std::vector<std::string> names;
  bool all() const { return others && names.empty(); }
  bool operator==(const TextSet&) const = default;
};

// Requests of one FlowSchema; a set that is not narrowed means all that the FlowSchema takes.
struct RequestSet {
  bool is_path = false;               // no resource: `verbs` are HTTP methods in lower case, and `paths` counts
  TextSet users;                      // "User jane", "Group system:nodes"
  TextSet verbs, groups, namespaces;  // of namespaces: "" is none
  TextSet resources;  // "pods", "pods/log", "pods/*" with its subresources, "*/log", "configmaps name"; "other/log": of
                      // those not named
  TextSet paths;      // "/healthz", "/healthz*" for all that begin so
  bool some = false;  // not all of these
  std::optional<std::size_t> rule;  // of the policy, that decides; nothing: none matches
  bool operator==(const RequestSet&) const = default;
};

struct PolicySchema {
  enum class Recorded : std::uint8_t { all, part, nothing };
  std::string name, priority_level;
  Recorded recorded = Recorded::all;
  std::vector<RequestSet> never;        // not written
  std::vector<RequestSet> still;        // written
  std::vector<RequestSet> without_end;  // written, but without ResponseComplete
  bool watches_without_start = false;   // watches are written, but neither their arrival nor their start
};

struct PolicyCoverage {
  std::vector<PolicySchema> schemas;  // those that take requests, in matching order
  bool without_objects = false;       // some creations are written at level Metadata
  bool has_gaps() const {
    return std::any_of(schemas.begin(), schemas.end(), [](const PolicySchema& schema) {
      return schema.recorded != PolicySchema::Recorded::all || !schema.without_end.empty() ||
             schema.watches_without_start;
    });
  }
};

}  // namespace apf
