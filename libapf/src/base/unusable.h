// How much of a log may be unusable.
#pragma once

#include <cstdint>

namespace apf {

// More than one in ten cannot: the others say little about the whole.
constexpr bool is_more_than_a_tenth(std::uint64_t unusable, std::uint64_t lines) {
  return static_cast<double>(unusable) > 0.1 * static_cast<double>(lines);
}

}  // namespace apf
