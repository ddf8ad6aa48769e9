// Go durations and RFC 3339 by hand: strptime and friends depend on locale and time zone.
#include <apf/time.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "base/rfc3339.h"
#include "base/text.h"

namespace apf {

namespace {

struct Unit {
  std::string_view name;
  Nanos nanos;
};

constexpr std::array<Unit, 8> kUnits{{{"ns", 1},
                                      {"us", kMicrosecond},
                                      {"\xc2\xb5s", kMicrosecond},  // U+00B5 micro sign
                                      {"\xce\xbcs", kMicrosecond},  // U+03BC Greek mu
                                      {"ms", kMillisecond},
                                      {"s", kSecond},
                                      {"m", 60 * kSecond},
                                      {"h", 3600 * kSecond}}};

constexpr std::uint64_t kMaxMagnitude = 1ULL << 63;

// One "12.34unit" off the front of `text`, in nanoseconds; nothing on a fault or overflow.
std::optional<std::uint64_t> take_component(std::string_view& text) {
  std::uint64_t whole = 0;
  std::size_t i = 0;
  for (; i < text.size() && is_digit(text[i]); ++i) {
    if (whole > kMaxMagnitude / 10) return std::nullopt;
    whole = whole * 10 + static_cast<std::uint64_t>(text[i] - '0');
    if (whole > kMaxMagnitude) return std::nullopt;
  }
  bool any = i > 0;
  std::uint64_t fraction = 0;
  double scale = 1;
  if (i < text.size() && text[i] == '.') {
    ++i;
    bool full = false;  // further digits are below what 63 bits hold
    for (; i < text.size() && is_digit(text[i]); ++i) {
      any = true;
      if (full || fraction > (kMaxMagnitude - 1) / 10) {
        full = true;
        continue;
      }
      fraction = fraction * 10 + static_cast<std::uint64_t>(text[i] - '0');
      scale *= 10;
    }
  }
  if (!any) return std::nullopt;
  text.remove_prefix(i);
  std::size_t unit_length = 0;
  while (unit_length < text.size() && text[unit_length] != '.' && !is_digit(text[unit_length])) ++unit_length;
  const std::string_view name = text.substr(0, unit_length);
  text.remove_prefix(unit_length);
  for (const Unit& unit : kUnits) {
    if (unit.name != name) continue;
    const auto nanos = static_cast<std::uint64_t>(unit.nanos);
    if (whole > kMaxMagnitude / nanos) return std::nullopt;
    std::uint64_t value = whole * nanos;
    // Go computes the fraction in a double as well.
    if (fraction > 0)
      value += static_cast<std::uint64_t>(static_cast<double>(fraction) * (static_cast<double>(nanos) / scale));
    if (value > kMaxMagnitude) return std::nullopt;
    return value;
  }
  return std::nullopt;
}

// Days since 1970-01-01 of a date of the proleptic Gregorian calendar, and back
// (both after Howard Hinnant's published derivation: years that begin in March).
std::int64_t days_from_civil(std::int64_t y, int m, int d) {
  y -= m <= 2;
  const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
  const auto yoe = static_cast<int>(y - era * 400);
  const int doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
  const int doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
  return era * 146097 + doe - 719468;
}

struct Civil {
  std::int64_t year;
  int month, day;
};

Civil civil_from_days(std::int64_t z) {
  z += 719468;
  const std::int64_t era = (z >= 0 ? z : z - 146096) / 146097;
  const auto doe = static_cast<int>(z - era * 146097);
  const int yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const int doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const int mp = (5 * doy + 2) / 153;
  const int month = mp < 10 ? mp + 3 : mp - 9;
  return {yoe + era * 400 + (month <= 2 ? 1 : 0), month, doy - (153 * mp + 2) / 5 + 1};
}

int days_in_month(int year, int month) {
  constexpr std::array<int, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

// `n` digits at `at`; -1 if they are not all digits.
int digits(std::string_view text, std::size_t at, std::size_t n) {
  if (at + n > text.size()) return -1;
  int value = 0;
  for (std::size_t i = at; i < at + n; ++i) {
    if (!is_digit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

// Of a value that has no more digits than that.
char* put_padded(char* to, std::uint32_t value, int width) {
  for (int i = width; i-- > 0; value /= 10) to[i] = static_cast<char>('0' + value % 10);
  return to + width;
}

// `value` / 10^decimals without trailing zeros: 1500, 3 -> "1.5".
void append_fraction(std::string& out, std::uint64_t value, int decimals) {
  std::uint64_t unit = 1;
  for (int i = 0; i < decimals; ++i) unit *= 10;
  out += std::to_string(value / unit);
  std::uint64_t rest = value % unit;
  if (rest == 0) return;
  out += '.';
  while (rest > 0) {
    unit /= 10;
    out += static_cast<char>('0' + rest / unit);
    rest %= unit;
  }
}

}  // namespace

std::optional<Nanos> parse_go_duration(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  std::uint64_t total = 0;
  while (!text.empty()) {
    const auto component = take_component(text);
    if (!component) return std::nullopt;
    total += *component;
    if (total > kMaxMagnitude) return std::nullopt;
  }
  if (negative) return static_cast<Nanos>(0 - total);
  if (total == kMaxMagnitude) return std::nullopt;
  return static_cast<Nanos>(total);
}

std::string format_go_duration(Nanos duration) {
  if (duration == 0) return "0s";
  std::string out;
  auto u = static_cast<std::uint64_t>(duration);
  if (duration < 0) {
    out = "-";
    u = 0 - u;
  }
  if (u < static_cast<std::uint64_t>(kSecond)) {
    if (u < static_cast<std::uint64_t>(kMicrosecond)) return out + std::to_string(u) + "ns";
    const bool micro = u < static_cast<std::uint64_t>(kMillisecond);
    append_fraction(out, u, micro ? 3 : 6);
    return out + (micro ? "\xc2\xb5s" : "ms");
  }
  constexpr std::uint64_t kMinute = 60ULL * kSecond;
  const std::uint64_t minutes = u / kMinute;
  if (minutes >= 60) out += std::to_string(minutes / 60) + "h";
  if (minutes > 0) out += std::to_string(minutes % 60) + "m";
  append_fraction(out, u % kMinute, 9);
  return out + "s";
}

std::optional<Nanos> parse_rfc3339(std::string_view text) {
  if (text.size() < 20 || text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != 't' && text[10] != ' ') ||
      text[13] != ':' || text[16] != ':')
    return std::nullopt;
  const int year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
  const int hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
  if (year < 1678 || year > 2261 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) ||
      hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60)
    return std::nullopt;
  std::size_t at = 19;
  Nanos fraction = 0;
  if (text[at] == '.' || text[at] == ',') {
    ++at;
    Nanos unit = kSecond / 10;
    const std::size_t first = at;
    for (; at < text.size() && is_digit(text[at]); ++at, unit /= 10) fraction += (text[at] - '0') * unit;
    if (at == first) return std::nullopt;
  }
  if (at >= text.size()) return std::nullopt;
  Nanos offset = 0;
  if (text[at] == 'Z' || text[at] == 'z') {
    if (at + 1 != text.size()) return std::nullopt;
  } else if (text[at] == '+' || text[at] == '-') {
    const int hours = digits(text, at + 1, 2), minutes = digits(text, at + 4, 2);
    if (at + 6 != text.size() || text[at + 3] != ':' || hours < 0 || hours > 23 || minutes < 0 || minutes > 59)
      return std::nullopt;
    offset = (hours * 3600 + minutes * 60) * kSecond;
    if (text[at] == '-') offset = -offset;
  } else {
    return std::nullopt;
  }
  const std::int64_t days = days_from_civil(year, month, day);
  return (days * 86400 + hour * 3600 + minute * 60 + second) * kSecond + fraction - offset;
}

char* write_rfc3339(char* to, Nanos time) {
  Nanos seconds = time / kSecond, nanos = time % kSecond;
  if (nanos < 0) {
    nanos += kSecond;
    --seconds;
  }
  std::int64_t days = seconds / 86400;
  auto rest = static_cast<int>(seconds % 86400);
  if (rest < 0) {
    rest += 86400;
    --days;
  }
  const Civil date = civil_from_days(days);
  const auto put = [&](std::int64_t value, int width, char behind) {
    to = put_padded(to, static_cast<std::uint32_t>(value), width);
    *to++ = behind;
  };
  put(date.year, 4, '-');
  put(date.month, 2, '-');
  put(date.day, 2, 'T');
  put(rest / 3600, 2, ':');
  put(rest / 60 % 60, 2, ':');
  put(rest % 60, 2, nanos == 0 ? 'Z' : '.');
  if (nanos == 0) return to;
  if (nanos % kMillisecond == 0) put(nanos / kMillisecond, 3, 'Z');
  else if (nanos % kMicrosecond == 0) put(nanos / kMicrosecond, 6, 'Z');
  else put(nanos, 9, 'Z');
  return to;
}

std::string format_rfc3339(Nanos time) {
  std::array<char, kMostOfRfc3339> out;
  return {out.data(), write_rfc3339(out.data(), time)};
}

bool is_calendar_date(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-dd";
  const bool formed = text.size() == kForm.size() &&
                      std::equal(text.begin(), text.end(), kForm.begin(),
                                 [](char c, char form) { return form == 'd' ? c >= '0' && c <= '9' : c == form; });
  if (!formed) return false;
  const auto part = [&](std::size_t at, std::size_t length) {
    int value = 0;
    for (const char c : text.substr(at, length)) value = value * 10 + (c - '0');
    return value;
  };
  const auto month = static_cast<unsigned>(part(5, 2)), day = static_cast<unsigned>(part(8, 2));
  return std::chrono::year_month_day(std::chrono::year(part(0, 4)), std::chrono::month(month), std::chrono::day(day))
      .ok();
}

}  // namespace apf
