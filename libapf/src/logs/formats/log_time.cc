#include "logs/formats/log_time.h"

#include <cstring>
#include <string>

namespace apf {

bool LogTimeReader::read_common(std::string_view text, Nanos& out) const {
  const char* p = text.data();
  if (text.size() == kUsualSize) return (out = read_usual(p)) != kNoTime;
  if (text.size() < 20 || text.size() > 30 || !same_bytes<kMinuteSize>(p, minute_)) return false;
  const char* const last = p + text.size() - 1;
  if (*last != 'Z') return false;
  if (!read_seconds(p, out)) return false;
  out += minute_begin_;
  p += 19;
  if (p == last) return true;
  if (*p != '.' || p + 1 == last) return false;
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
  if (!instant && text.ends_with(" UTC"))  // BigQuery
    instant = parse_rfc3339(std::string(text.substr(0, text.size() - 4)) + 'Z');
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
