// Which presets of providers have enough seats.
#pragma once

#include <string>

namespace apf {

// A sentence, or nothing where none has so many.
std::string presets_with(double seats);

}  // namespace apf
