// A limit of a level made larger, to see whether it is what gives way.
#pragma once

#include <optional>
#include <string>

#include <apf/advise.h>

namespace apf {

// The limit in every configuration of the log, half as large again or twice as large, as the first of them that has it
// says; seats: a quarter more. Nothing: the level does not have that limit.
std::optional<HeadroomTrial> loosen(ReplayOptions& options, const std::string& level, HeadroomLimit limit);

}  // namespace apf
