// The pages of what reading and validating an object find (config/codes.h).
#pragma once

#include <cstddef>
#include <span>

#include "lint/rule.h"

namespace apf {

inline constexpr std::size_t kDecodingPages = 14;  // APF001 to APF008, APF010 to APF013, APF015, APF016

std::span<const Rule> decoding_pages();
std::span<const Rule> validation_pages();
std::span<const Rule> kep_pages();

}  // namespace apf
