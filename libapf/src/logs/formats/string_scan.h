// Strings of JSON straight from the bytes, for lines that are read without an index.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace apf {

#if defined(__SSE2__)
// Of 16 bytes, those that are not plain within a string. Signed: bytes from 0x80 on are below the blank, too.
inline __m128i stops_in(const char* p) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return _mm_or_si128(
      _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))),
      _mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')));
}
#endif

// The first byte from `p` on that is not plain within a string: a quote, a backslash, a control character, or part of a
// character beyond ASCII. Reads up to 15 bytes behind it.
inline const char* plain_end(const char* p) {
#if defined(__SSE2__)
  for (;; p += 16) {
    if (const auto mask = static_cast<unsigned>(_mm_movemask_epi8(stops_in(p))); mask != 0)
      return p + static_cast<unsigned>(std::countr_zero(mask));
  }
#else
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;
  if constexpr (std::endian::native == std::endian::little) {
    for (;; p += 8) {
      std::uint64_t word;
      std::memcpy(&word, p, 8);
      const std::uint64_t quote = word ^ kOnes * '"', backslash = word ^ kOnes * '\\';
      // Of each test the lowest byte that it finds is one.
      const std::uint64_t stops =
          (((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash) | ((word - kOnes * ' ') & ~word) | word) &
          kHighs;
      if (stops != 0) return p + std::countr_zero(stops) / 8;
    }
  }
  while (*p != '"' && *p != '\\' && static_cast<signed char>(*p) >= ' ') ++p;
  return p;
#endif
}

// Whether so many bytes, 16 or more, are plain within a string. Some byte behind them is not.
template <std::size_t kSize>
inline bool is_plain(const char* p) {
  static_assert(kSize >= 16);
#if defined(__SSE2__)
  __m128i stops = _mm_setzero_si128();
  for (std::size_t i = 0; i < kSize; i += 16)  // at the end the last 16: looking twice does no harm
    stops = _mm_or_si128(stops, stops_in(p + (i + 16 <= kSize ? i : kSize - 16)));
  return _mm_movemask_epi8(stops) == 0;
#else
  return plain_end(p) >= p + kSize;
#endif
}

// The closing quote of the string whose first byte is at `p`. Null: it has no such quote on its line, or a character
// that UTF-8 does not write with one or two bytes ("µs" has two).
inline const char* string_end(const char* p, bool& escaped) {
  for (;;) {
    p = plain_end(p);
    if (*p == '"') return p;
    const auto first = static_cast<unsigned char>(p[0]), second = static_cast<unsigned char>(p[1]);
    if (first == '\\') {
      if (second < ' ' || second >= 0x80) return nullptr;
      escaped = true;
    } else if (first < 0xC2 || first > 0xDF || (second & 0xC0) != 0x80) {
      return nullptr;
    }
    p += 2;
  }
}

}  // namespace apf
