// Objects of the KEP's own dialect from the tree into the model.
#pragma once

#include <optional>
#include <vector>

#include <apf/config.h>

#include "config/kep/kep.h"
#include "config/schema.h"
#include "config/tree.h"

namespace apf {

inline constexpr const char* kKepPriorityKind = "RequestPriority";

// Nothing if the object has a fault; what is wrong with it goes to `diagnostics`.
std::optional<FlowSchema> decode_kep_flow_schema(const ConfigNode& object, const ObjectLabel& label,
                                                 std::vector<Diagnostic>& diagnostics);
std::optional<PriorityLevel> decode_kep_priority(const ConfigNode& object, const ObjectLabel& label,
                                                 std::vector<Diagnostic>& diagnostics);

// How the names of the tests and of the fields are written.
struct KepTestName {
  std::string_view name;
  KepOperator op;
  bool inverse;
};
inline constexpr KepTestName kKepTests[] = {
    {"equals", KepOperator::equals, false},
    {"notEquals", KepOperator::equals, true},
    {"inSet", KepOperator::in_set, false},
    {"notInSet", KepOperator::in_set, true},
    {"patternMatch", KepOperator::pattern_match, false},
    {"notPatternMatch", KepOperator::pattern_match, true},
    {"superSet", KepOperator::super_set, false},
    {"notSuperSet", KepOperator::super_set, true},
};
inline constexpr std::string_view kKepFields[] = {"user",       "groups",   "namespace",   "verb", "apiGroup",
                                                  "apiVersion", "resource", "subresource", "name", "path"};
// "value", "set" or "pattern": the member that the test compares with.
inline std::string_view kep_member(KepOperator op) {
  return op == KepOperator::equals ? "value" : op == KepOperator::pattern_match ? "pattern" : "set";
}
// The one of its two names that the FlowSchema uses.
std::string kep_precedence_field(const FlowSchema& schema);
// "spec.match[0].and[1]", with the test's name if its members are written below it.
std::string kep_test_path(const KepTest& test, std::size_t list, std::size_t index);

}  // namespace apf
