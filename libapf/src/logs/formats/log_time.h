// Instants as logs write them, fast: a log's instants are close together, so what is above the seconds is worked out
// once a minute.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <apf/time.h>

#include "base/same_bytes.h"
#include "logs/log_event.h"

namespace apf {

class LogTimeReader {
 public:
  // What parse_rfc3339 reads, also without a zone: UTC.
  bool read(std::string_view text, Nanos& out) { return read_common(text, out) || read_slowly(text, out); }

  // As kube-apiserver writes them: YYYY-MM-DDThh:mm:ss.ffffffZ.
  static constexpr std::size_t kUsualSize = 27;
  // Such an instant within the minute of the last one that read() has read; kNoTime: the bytes are something else.
  Nanos read_usual(const char* p) const {
    Nanos seconds = 0;
    if (!same_bytes<kMinuteSize>(p, minute_) || !read_seconds(p, seconds)) return kNoTime;
    const std::int64_t micros = six_digits(p + 19);
    return micros < 0 || p[19] != '.' || p[26] != 'Z' ? kNoTime : minute_begin_ + seconds + micros * kMicrosecond;
  }

 private:
  // YYYY-MM-DDThh:mm:ss[.f{1,9}]Z within the minute of the last instant.
  bool read_common(std::string_view text, Nanos& out) const;
  bool read_slowly(std::string_view text, Nanos& out);
  // "ss" behind the minute.
  static bool read_seconds(const char* p, Nanos& out) {
    const unsigned tens = static_cast<unsigned char>(p[17]) - unsigned{'0'},
                   ones = static_cast<unsigned char>(p[18]) - unsigned{'0'};
    out = static_cast<std::int64_t>(tens * 10 + ones) * kSecond;
    return tens <= 5 && ones <= 9;
  }
  static std::int64_t six_digits(const char* dot);

  static constexpr std::size_t kMinuteSize = 17;  // YYYY-MM-DDThh:mm:
  char minute_[kMinuteSize] = {};
  Nanos minute_begin_ = 0;
};

// The number that six bytes behind the one at `dot` are, which is not looked at; negative if they are no digits. Reads
// the byte behind them.
inline std::int64_t LogTimeReader::six_digits(const char* dot) {
  std::uint64_t v;
  std::memcpy(&v, dot, 8);
  if constexpr (std::endian::native == std::endian::big) v = __builtin_bswap64(v);
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

}  // namespace apf
