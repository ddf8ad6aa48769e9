#include "logs/formats/log_time.h"

#include <bit>
#include <cstring>
#include <string>

#include "logs/formats/json_walk.h"

namespace apf {
namespace {

// ".dddddd" and what follows, as kube-apiserver writes microseconds; negative if the six bytes are no digits.
std::int64_t six_digits(const char* dot) {
  std::uint64_t v;
  std::memcpy(&v, dot, 8);
  v = (v >> 8 & 0x0000ffffffffffff) | 0x3030000000000000;  // two zeros behind
  // Every byte in '0'..'9': neither it nor it plus six leaves the threes.
  if (((v & 0xf0f0f0f0f0f0f0f0) | ((v + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) >> 4) != 0x3333333333333333)
    return -1;
  v -= 0x3030303030303030;
  v = v * 10 + (v >> 8);  // pairs
  v = (((v & 0x000000ff000000ff) * (100 + (1000000ULL << 32))) +
       ((v >> 16 & 0x000000ff000000ff) * (1 + (10000ULL << 32)))) >>
      32;
  return static_cast<std::int64_t>(v) / 100;
}

}  // namespace

bool LogTimeReader::read_common(std::string_view text, Nanos& out) const {
  const char* p = text.data();
  if (text.size() < 20 || text.size() > 30 || !same_bytes<kMinuteSize>(p, minute_)) return false;
  const char* const last = p + text.size() - 1;
  if (*last != 'Z') return false;
  const unsigned tens = static_cast<unsigned char>(p[17]) - unsigned{'0'},
                 ones = static_cast<unsigned char>(p[18]) - unsigned{'0'};
  if (tens > 5 || ones > 9) return false;
  out = minute_begin_ + static_cast<std::int64_t>(tens * 10 + ones) * kSecond;
  p += 19;
  if (p == last) return true;
  if (*p != '.' || p + 1 == last) return false;
  if constexpr (std::endian::native == std::endian::little) {
    if (last - p == 7) {
      const std::int64_t micros = six_digits(p);
      out += micros * kMicrosecond;
      return micros >= 0;
    }
  }
  std::int64_t scale = kSecond;
  while (++p != last) {
    const unsigned digit = static_cast<unsigned char>(*p) - unsigned{'0'};
    if (digit > 9) return false;
    scale /= 10;
    out += digit * scale;
  }
  return true;
}

bool LogTimeReader::read_slowly(std::string_view text, Nanos& out) {
  auto instant = parse_rfc3339(text);
  // Stores that rewrite times leave the zone out, which is UTC then: 2024-11-13 18:34:10.595141000
  if (!instant && text.size() >= 19 && text.back() >= '0' && text.back() <= '9')
    instant = parse_rfc3339(std::string(text) + 'Z');
  if (!instant) return false;
  out = *instant;
  // A minute of its own for each offset would not pay: kube-apiserver writes UTC.
  if (text.back() == 'Z') {
    if (const auto begin = parse_rfc3339(std::string(text.substr(0, kMinuteSize)) + "00Z")) {
      minute_begin_ = *begin;
      std::memcpy(minute_, text.data(), kMinuteSize);
    }
  }
  return true;
}

}  // namespace apf
