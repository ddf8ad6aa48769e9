#include "logs/formats/klog_line.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>

#include "base/text.h"
#include "base/utf8.h"
#include "logs/formats/csv_table.h"
#include "logs/log_event.h"

namespace apf {
namespace {

constexpr std::string_view kHeaderForm = "I9999 99:99:99.999999 ";
constexpr std::size_t kLongestPrefix = 512;
constexpr int kUnknownYear = 1970;

int two_digits(const char* p) { return (p[0] - '0') * 10 + (p[1] - '0'); }

bool is_header(const char* p, std::size_t size) {
  if (size < kHeaderForm.size() || (p[0] != 'I' && p[0] != 'W' && p[0] != 'E' && p[0] != 'F')) return false;
  for (std::size_t i = 1; i < kHeaderForm.size(); ++i) {
    const char form = kHeaderForm[i];
    if (form == '9' ? !is_digit(p[i]) : p[i] != form) return false;
  }
  return true;
}

// Years out of range are the next ones, so that their lines can be refused.
Nanos day_begin(int year, int month, int day) {
  using namespace std::chrono;
  year = std::clamp(year, 1969, 2201);
  const sys_days days{std::chrono::year(year) / static_cast<unsigned>(month) / 1};
  return (days.time_since_epoch().count() + day - 1) * Nanos{86400} * kSecond;
}

// hh:mm of a header in ns.
Nanos minute_of_day(const char* header) {
  return (two_digits(header + 6) * 60 + two_digits(header + 9)) * 60 * kSecond;
}

// What a header adds to its minute; negative if it has more than 60 seconds.
Nanos within_minute(const char* header) {
  const int seconds = two_digits(header + 12);
  std::int64_t micros = 0;
  for (int i = 15; i < 21; ++i) micros = micros * 10 + (header[i] - '0');
  return seconds > 60 ? -1 : seconds * kSecond + micros * kMicrosecond;
}

bool is_sound(const char* header) {
  const int month = two_digits(header + 1), day = two_digits(header + 3);
  return month >= 1 && month <= 12 && day >= 1 && day <= 31 && two_digits(header + 6) < 24 &&
         two_digits(header + 9) < 60;
}

std::string_view trim_end(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// What follows the time: "  1546 httplog.go:134] message".
bool split(std::string_view rest, KlogLine& out) {
  std::size_t at = 0;
  while (at < rest.size() && rest[at] == ' ') ++at;
  const std::size_t process = at;
  while (at < rest.size() && is_digit(rest[at])) ++at;
  out.process = rest.substr(process, at - process);
  if (at >= rest.size() || rest[at] != ' ' || out.process.empty()) return false;
  const std::size_t end = rest.find(']', ++at);
  if (end == std::string_view::npos) return false;
  out.place = rest.substr(at, end - at);
  if (out.place.find(' ') != std::string_view::npos) return false;
  at = end + 1;
  if (at < rest.size() && rest[at] == ' ') ++at;
  out.message = rest.substr(at);
  return true;
}

// `digits` digits of the base at p, or false.
bool read_number(const char* p, const char* end, std::size_t digits, int base, std::uint32_t& out) {
  if (static_cast<std::size_t>(end - p) < digits) return false;
  const auto [stop, error] = std::from_chars(p, p + digits, out, base);
  return error == std::errc() && stop == p + digits;
}

// One escape; `p` is behind the backslash. False: Go writes no such thing.
bool read_escape(const char*& p, const char* end, char*& to) {
  constexpr std::string_view kLetters = "abfnrtv\\'\"", kMeanings = "\a\b\f\n\r\t\v\\'\"";
  if (p == end) return false;
  const std::size_t letter = kLetters.find(*p);
  if (letter != std::string_view::npos) {
    *to++ = kMeanings[letter];
    ++p;
    return true;
  }
  std::uint32_t number = 0;
  if (*p == 'x') {
    if (!read_number(p + 1, end, 2, 16, number)) return false;
    *to++ = static_cast<char>(number);
    p += 3;
    return true;
  }
  const std::size_t digits = *p == 'u' ? 4 : *p == 'U' ? 8 : 0;
  if (digits == 0 || !read_number(p + 1, end, digits, 16, number) || number > 0x10FFFF ||
      (number >= 0xD800 && number < 0xE000)) {
    return false;
  }
  to = append_utf8(to, number);
  p += 1 + digits;
  return true;
}

}  // namespace

void KlogCalendar::turn_to(int new_month) {
  if (month != 0) {
    if (new_month - month <= -6) ++year;
    // Only the neighbours: a log may well leap from January to December within one year, but hardly back by a month.
    if (month == 1 && new_month == 12) --year;
  }
  month = new_month;
}

std::size_t find_klog_header(std::string_view line) {
  if (is_header(line.data(), line.size())) return 0;
  const std::string_view head = line.substr(0, kLongestPrefix + kHeaderForm.size());
  // The blank between day and time, and the colons, are where the form is surest.
  for (std::size_t dot = head.find('.', 14); dot != std::string_view::npos; dot = head.find('.', dot + 1)) {
    const std::size_t begin = dot - 14;
    if (is_header(line.data() + begin, line.size() - begin)) return begin;
  }
  return std::string_view::npos;
}

KlogDay klog_day(std::string_view header) { return {two_digits(header.data() + 1), two_digits(header.data() + 3)}; }

Nanos leading_time(std::string_view text) {
  for (int words = 0; words < 3; ++words) {
    const std::string_view word = text.substr(0, text.find_first_of(" \t"));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word.size() < 20 || !is_digit(word[0]) || word[4] != '-') continue;
    const Nanos time = parse_rfc3339(word).value_or(kNoTime);
    return is_time_in_range(time) ? time : kNoTime;
  }
  return kNoTime;
}

void KlogLineReader::begin(const KlogCalendar& calendar) {
  calendar_ = calendar;
  if (calendar_.year == 0) calendar_.year = kUnknownYear;
  minute_[0] = 0;  // what was worked out is of another year, perhaps
}

bool KlogLineReader::read_time(const char* header, Nanos& out) {
  if (std::memcmp(header + 1, minute_, kMinuteSize) != 0) {
    if (!is_sound(header)) return false;
    calendar_.turn_to(two_digits(header + 1));
    minute_begin_ = day_begin(calendar_.year, calendar_.month, two_digits(header + 3)) + minute_of_day(header);
    std::memcpy(minute_, header + 1, kMinuteSize);
  }
  const Nanos rest = within_minute(header);
  out = minute_begin_ + rest;
  return rest >= 0;
}

// A runtime writes a line within moments: what lies between is the zone of the server's clock, in quarters of an hour.
bool KlogLineReader::read_time_near(const char* header, Nanos written, Nanos& out) {
  constexpr Nanos kQuarter = 15 * 60 * kSecond, kDay = 86400 * kSecond;
  const Nanos rest = within_minute(header);
  if (!is_sound(header) || rest < 0) return false;
  const auto day = std::chrono::floor<std::chrono::days>(
      std::chrono::sys_time<std::chrono::nanoseconds>(std::chrono::nanoseconds(written)));
  const int year = static_cast<int>(std::chrono::year_month_day(day).year());
  Nanos best = kNoTime, distance = INT64_MAX;
  for (int y = year - 1; y <= year + 1; ++y) {
    const Nanos time = day_begin(y, two_digits(header + 1), two_digits(header + 3)) + minute_of_day(header) + rest;
    if (std::abs(written - time) < distance) {
      distance = std::abs(written - time);
      best = time;
    }
  }
  const Nanos off = written - best;
  const Nanos zone = (off >= 0 ? off + kQuarter / 2 : off - kQuarter / 2) / kQuarter * kQuarter;
  out = std::abs(zone) < kDay && std::abs(off - zone) < 5 * kSecond ? best + zone : best;
  return true;
}

bool KlogLineReader::read(std::string_view line, KlogLine& out, JsonScratch& scratch) {
  return read(line, kNoTime, out, scratch);
}

bool KlogLineReader::read(std::string_view line, Nanos written, KlogLine& out, JsonScratch& scratch) {
  const std::size_t begin = find_klog_header(line);
  if (begin == std::string_view::npos) return false;
  std::string_view text = line.substr(begin);
  out.prefix = line.substr(0, begin);
  if (begin > 0) {
    if (out.prefix.find('\0') != std::string_view::npos) return false;  // damage, and not a prefix
    if (line[begin - 1] == '"') text = read_csv_cell(text, scratch);    // of an export
    if (written == kNoTime) written = leading_time(out.prefix);
    if (text.size() < kHeaderForm.size()) return false;
  }
  out.severity = text.front();
  const bool sound =
      written == kNoTime ? read_time(text.data(), out.time) : read_time_near(text.data(), written, out.time);
  return sound && split(trim_end(text.substr(kHeaderForm.size() - 1)), out);
}

KlogPairs::Next KlogPairs::next() {
  while (at_ != end_ && *at_ == ' ') ++at_;
  const char* const begin = at_;
  while (at_ != end_ && *at_ != '=' && *at_ != ' ') ++at_;
  if (at_ == end_ || *at_ == ' ') return Next::done;
  key_ = {begin, static_cast<std::size_t>(at_ - begin)};
  ++at_;
  return take_value();
}

KlogPairs::Next KlogPairs::take_value() {
  const char* value = at_;
  if (value == end_ || *value != '"') {
    while (at_ != end_ && *at_ != ' ') ++at_;
    value_ = {value, static_cast<std::size_t>(at_ - value)};
    return Next::pair;
  }
  ++value;
  for (const char* from = value;;) {
    const auto* quote = static_cast<const char*>(std::memchr(from, '"', static_cast<std::size_t>(end_ - from)));
    if (quote == nullptr) {
      value_ = {value, static_cast<std::size_t>(end_ - value)};
      at_ = end_;
      return Next::cut_off;
    }
    const char* slash = quote;
    while (slash != value && slash[-1] == '\\') --slash;
    from = quote + 1;
    if ((quote - slash) % 2 != 0) continue;
    value_ = {value, static_cast<std::size_t>(quote - value)};
    at_ = from;
    return Next::pair;
  }
}

std::string_view unquote_go(std::string_view raw, JsonScratch& scratch) {
  char* const begin = scratch.room(raw.size());  // no escape is shorter than what it means
  char* to = begin;
  for (const char *p = raw.data(), *end = p + raw.size(); p != end;) {
    const char* const escape = p;
    if (*p != '\\' || !read_escape(++p, end, to)) {
      p = escape;
      *to++ = *p++;
    }
  }
  scratch.take(static_cast<std::size_t>(to - begin));
  return {begin, static_cast<std::size_t>(to - begin)};
}

}  // namespace apf
