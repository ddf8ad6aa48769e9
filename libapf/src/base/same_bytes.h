// Comparing texts of a size that is known beforehand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace apf {

// memcmp() == 0 for a size known beforehand, without a call.
template <std::size_t kSize>
inline bool same_bytes(const char* a, const char* b) {
  if constexpr (kSize >= 8) {
    std::uint64_t differences = 0;
    const auto compare = [&](std::size_t at) {
      std::uint64_t x, y;
      std::memcpy(&x, a + at, 8);
      std::memcpy(&y, b + at, 8);
      differences |= x ^ y;
    };
    for (std::size_t at = 0; at + 8 <= kSize; at += 8) compare(at);
    if (kSize % 8 != 0) compare(kSize - 8);
    return differences == 0;
  } else {
    return std::memcmp(a, b, kSize) == 0;
  }
}

}  // namespace apf
