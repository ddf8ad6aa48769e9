#include "replay/formats/log_time.h"

#include <cstring>
#include <string>

namespace apf {
namespace {

// Two digits; what is none makes the value huge.
unsigned two_digits(const char* p) {
  const unsigned a = static_cast<unsigned char>(p[0]) - unsigned{'0'}, b = static_cast<unsigned char>(p[1]) - unsigned{'0'};
  return a > 9 || b > 9 ? 1000 : a * 10 + b;
}

}  // namespace

bool LogTimeReader::read_common(std::string_view text, Nanos& out) const {
  const char* p = text.data();
  if (text.size() < 20 || text.size() > 30 || std::memcmp(p, day_, sizeof day_) != 0) return false;
  const char* const last = p + text.size() - 1;
  if (p[10] != 'T' || p[13] != ':' || p[16] != ':' || *last != 'Z') return false;
  const unsigned hour = two_digits(p + 11), minute = two_digits(p + 14), second = two_digits(p + 17);
  if (hour > 23 || minute > 59 || second > 59) return false;
  std::int64_t fraction = 0;
  p += 19;
  if (p != last) {
    if (*p != '.' || p + 1 == last) return false;
    static constexpr std::int64_t kScale[] = {kSecond,  kSecond / 10,        kSecond / 100,       kMillisecond, kMillisecond / 10,
                                              kMillisecond / 100, kMicrosecond, kMicrosecond / 10, kMicrosecond / 100, 1};
    const auto digits = last - p - 1;  // at most 9
    while (++p != last) {
      const unsigned digit = static_cast<unsigned char>(*p) - unsigned{'0'};
      if (digit > 9) return false;
      fraction = fraction * 10 + digit;
    }
    fraction *= kScale[digits];
  }
  out = midnight_ + static_cast<std::int64_t>(hour * 3600 + minute * 60 + second) * kSecond + fraction;
  return true;
}

bool LogTimeReader::read_slowly(std::string_view text, Nanos& out) {
  const auto instant = parse_rfc3339(text);
  if (!instant) return false;
  out = *instant;
  if (text.back() == 'Z') {
    if (const auto midnight = parse_rfc3339(std::string(text.substr(0, 10)) + "T00:00:00Z")) {
      midnight_ = *midnight;
      std::memcpy(day_, text.data(), sizeof day_);
    }
  }
  return true;
}

}  // namespace apf
