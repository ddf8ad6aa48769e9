// API defaulting of single objects; apply_defaults of <apf/config.h> is all of it for a whole configuration.
#pragma once

#include <cstdint>

#include <apf/config.h>

namespace apf {

// Of a queuing that does not say them.
inline constexpr int kDefaultQueues = 64, kDefaultHandSize = 8;

std::int32_t defaulted_precedence(const FlowSchema& schema);
void apply_defaults(PriorityLevel& level);

}  // namespace apf
