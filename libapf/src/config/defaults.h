// API defaulting of single objects; apply_defaults of <apf/config.h> is all of it for a whole configuration.
#pragma once

#include <cstdint>

#include <apf/config.h>

namespace apf {

std::int32_t defaulted_precedence(const FlowSchema& schema);
void apply_defaults(PriorityLevel& level);

}  // namespace apf
