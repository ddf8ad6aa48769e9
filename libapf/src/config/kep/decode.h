// Objects of the KEP's own dialect from the tree into the model.
#pragma once

#include <optional>
#include <vector>

#include <apf/config.h>

#include "config/kep/kep.h"
#include "config/schema.h"
#include "config/tree.h"

namespace apf {

// Nothing if the object has a fault; what is wrong with it goes to `diagnostics`.
std::optional<FlowSchema> decode_kep_flow_schema(const ConfigNode& object, const ObjectLabel& label,
                                                 std::vector<Diagnostic>& diagnostics);
std::optional<PriorityLevel> decode_kep_priority(const ConfigNode& object, const ObjectLabel& label,
                                                 std::vector<Diagnostic>& diagnostics);

// The one of its two names that the FlowSchema uses.
std::string kep_precedence_field(const FlowSchema& schema);
// "spec.match[0].and[1]", with the test's name if its members are written below it.
std::string kep_test_path(const KepTest& test, std::size_t list, std::size_t index);

}  // namespace apf
