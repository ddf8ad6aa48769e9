// A checked tree into the model: what apimachinery's decoding and the conversion to the internal version do (v1.36).
#pragma once

#include <memory>

#include <apf/config.h>

#include "config/schema.h"

namespace apf {

// The object must have passed check_fields. Absent and null fields stay zero or unset; nothing is defaulted.
// `api_version` replaces the object's own where that is left out, as in typed lists.
FlowSchema decode_flow_schema(const ConfigNode& object, std::string api_version);
PriorityLevel decode_priority_level(const ConfigNode& object, std::string api_version, ApiVersion version);

// The parts that other kinds have too.
ObjectMeta decode_meta(const ConfigNode& object, std::string api_version);
// A number of 32 bits; 0 if there is none.
std::int32_t decode_int(const ConfigNode* object, std::string_view name);
// A scalar's text; empty if there is none.
std::string decode_string(const ConfigNode* object, std::string_view name);
std::vector<std::string> decode_strings(const ConfigNode* object, std::string_view name);
std::vector<ScopeRequirement> decode_scope_requirements(const ConfigNode* list);

}  // namespace apf
