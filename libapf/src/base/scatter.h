// Numbers that look like chance, the same for the same seed.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/hash.h"

namespace apf {

// Numbers that are not alike for seeds and numbers that are.
inline std::uint64_t scattered(std::uint64_t seed, std::uint64_t number) {
  const std::uint64_t mixed = mix64(seed ^ 0x9e3779b97f4a7c15ULL, number + 0xa0761d6478bd642fULL);
  return mix64(mixed ^ 0xe7037ed1a0b428dbULL, mixed + number * 0x8ebc6af09c88c6e3ULL + 0x589965cc75374cc3ULL);
}

// 0 … 1, evenly.
inline double unit(std::uint64_t seed, std::uint64_t number) {
  return static_cast<double>(scattered(seed, number) >> 11) / 9007199254740992.0;
}

// 0 … 1, evenly, for the first numbers of any sequence of them: the golden ratio parts what is left best.
inline double even(std::uint64_t seed, std::uint64_t number) {
  constexpr double kGolden = 0.6180339887498949;
  const double turn = static_cast<double>(number % (1u << 24)) * kGolden, sum = unit(seed, 1) + turn - std::floor(turn);
  return sum - std::floor(sum);
}

}  // namespace apf
