// The pages of what reading and validating an object find (config/codes.h).
#pragma once

#include <span>

#include "lint/rule.h"

namespace apf {

// Why it matters, of most of what validation finds.
inline constexpr const char* kRefused = "The server rejects the object. If it exists already, it stays as it is.";

std::span<const Rule> decoding_pages();
std::span<const Rule> validation_pages();
std::span<const Rule> plugin_pages();
std::span<const Rule> kep_pages();

}  // namespace apf
