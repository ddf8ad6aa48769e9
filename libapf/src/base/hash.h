// Fast hashing of short strings for tables inside one run. Never used for anything that is printed.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace apf {

__extension__ using Uint128 = unsigned __int128;

// 64x64 -> 128 multiplication folded to 64 bits: mixes well and costs three cycles.
inline std::uint64_t mix64(std::uint64_t a, std::uint64_t b) {
  const Uint128 product = static_cast<Uint128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t hash_bytes(std::string_view text, std::uint64_t seed = 0x9e3779b97f4a7c15ULL) {
  constexpr std::uint64_t kA = 0xa0761d6478bd642fULL, kB = 0xe7037ed1a0b428dbULL;
  const char* p = text.data();
  std::size_t n = text.size();
  std::uint64_t h = seed ^ (n * kB);
  const auto load64 = [](const char* at) {
    std::uint64_t v;
    std::memcpy(&v, at, 8);
    return v;
  };
  while (n > 16) {
    h = mix64(load64(p) ^ kA, load64(p + 8) ^ h);
    p += 16;
    n -= 16;
  }
  std::uint64_t a = 0, b = 0;
  if (n >= 8) {
    a = load64(p);
    b = load64(p + n - 8);
  } else if (n >= 4) {
    std::uint32_t x, y;
    std::memcpy(&x, p, 4);
    std::memcpy(&y, p + n - 4, 4);
    a = x;
    b = y;
  } else if (n > 0) {
    a = static_cast<std::uint64_t>(static_cast<unsigned char>(p[0])) << 16 |
        static_cast<std::uint64_t>(static_cast<unsigned char>(p[n >> 1])) << 8 | static_cast<unsigned char>(p[n - 1]);
  }
  return mix64(mix64(a ^ kA, b ^ h), kB ^ text.size());
}

}  // namespace apf
