#include "logs/log_calendar.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include <apf/error.h>

#include "base/month.h"
#include "base/text.h"
#include "logs/inflate.h"
#include "logs/log_event.h"

namespace apf {
namespace {

constexpr std::size_t kSampleDistance = 64 * 1024;           // a year passes by in no less than this
constexpr std::size_t kMostSearched = std::size_t{1} << 28;  // bytes of a log
constexpr std::size_t kHead = 256 * 1024;                    // how far into another file it is looked

// yyyy-mm-dd?hh:mm
bool is_date(const char* p, char separator) {
  constexpr std::string_view kForm = "9999-99-99T99:99";
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const char form = kForm[i];
    if (form == '9' ? !is_digit(p[i]) : p[i] != (form == 'T' ? separator : form)) return false;
  }
  return true;
}
constexpr std::size_t kDateSize = 16;

int number(const char* p, int digits) {
  int n = 0;
  for (int i = 0; i < digits; ++i) n = n * 10 + (p[i] - '0');
  return n;
}

struct Day {
  int year = 0, month = 0, day = 0;
};

long days_of(const Day& d) {
  using namespace std::chrono;
  return sys_days{year(d.year) / static_cast<unsigned>(d.month) / 1}.time_since_epoch().count() + d.day;
}

std::optional<Day> day_at(const char* date) {
  const Day day{number(date, 4), number(date + 5, 2), number(date + 8, 2)};
  const bool sound = day.year >= 1970 && day.year < 2200 && day.month >= 1 && day.month <= 12 && day.day >= 1;
  return sound ? std::optional(day) : std::nullopt;
}

// The first day that a text names: that of an audit event's arrival before all others, since objects hold old days.
std::optional<Day> first_day(std::string_view text) {
  constexpr std::string_view kReceived = "requestReceivedTimestamp";
  const std::size_t received = text.find(kReceived);
  const std::size_t from = received == std::string_view::npos ? 0 : received;
  for (std::size_t at = text.find('-', from + 4); at != std::string_view::npos; at = text.find('-', at + 1)) {
    if (at - 4 + kDateSize > text.size()) break;
    if (!is_date(text.data() + at - 4, 'T')) continue;
    if (const auto day = day_at(text.data() + at - 4)) return day;
  }
  return std::nullopt;
}

// When a traced request began: `Trace[1]: "List" url:/api/v1/pods (12-Jul-2022 12:18:22.667) (total time: …`.
std::optional<Day> day_of_trace(std::string_view text) {
  const std::size_t end = text.find(") (total time: ");
  if (end == std::string_view::npos || text.substr(0, end).rfind("Trace[") == std::string_view::npos)
    return std::nullopt;
  const std::size_t begin = text.substr(0, end).rfind('(') + 1;
  const std::string_view date = text.substr(begin, end - begin);  // dd-Mmm-yyyy
  if (date.size() < 11 || date[2] != '-' || date[6] != '-') return std::nullopt;
  const std::optional<int> month = month_named(date.substr(3, 3));
  for (const std::size_t digit : {0, 1, 7, 8, 9, 10})
    if (!is_digit(date[digit])) return std::nullopt;
  if (!month) return std::nullopt;
  return Day{number(date.data() + 7, 4), *month, number(date.data(), 2)};
}

// A line of klog text that names the minute in which it was written ("now=2026-11-20 12:26:25.046055529 +0000 UTC"), or
// before which a runtime put its time.
std::optional<Day> own_day(std::string_view text) {
  const std::string_view first = text.substr(0, text.find('\n'));
  const std::size_t first_header = find_klog_header(first);
  for (std::size_t at = 0; first_header != std::string_view::npos && at + kDateSize < first_header; ++at)
    if (is_date(first.data() + at, 'T')) return day_at(first.data() + at);
  if (const auto day = day_of_trace(text)) return day;
  for (std::size_t at = text.find('-'); at != std::string_view::npos; at = text.find('-', at + 1)) {
    if (at < 4 || at - 4 + kDateSize > text.size() || !is_date(text.data() + at - 4, ' ')) continue;
    const std::size_t begin = text.rfind('\n', at) + 1;  // npos + 1 = 0
    const std::string_view line = text.substr(begin, text.find('\n', at) - begin);
    const std::size_t header = find_klog_header(line);
    const char* const date = text.data() + at - 4;
    if (header == std::string_view::npos || begin + header > at) continue;
    const std::string_view written = line.substr(header + 1);  // mmdd hh:mm
    const bool same = written.substr(0, 2) == std::string_view(date + 5, 2) &&
                      written.substr(2, 2) == std::string_view(date + 8, 2) &&
                      written.substr(5, 5) == std::string_view(date + 11, 5);
    if (!same) continue;
    if (const auto day = day_at(date)) return day;
  }
  return std::nullopt;
}

// A date or seconds since 1970 (or parts of them) in the text, of that day or one beside it.
std::optional<Day> same_day_in(std::string_view text, const KlogDay& klog) {
  using namespace std::chrono;
  const auto is_same = [&](const Day& day) {
    for (const int year : {day.year - 1, day.year, day.year + 1})
      if (std::labs(days_of({year, klog.month, klog.day}) - days_of(day)) <= 1) return true;
    return false;
  };
  for (std::size_t at = 0; at < text.size();) {
    if (!is_digit(text[at])) {
      ++at;
      continue;
    }
    const std::size_t size = std::min(text.find_first_not_of("0123456789", at), text.size()) - at;
    std::optional<Day> day;
    if (size == 4 && at + kDateSize <= text.size() && (is_date(&text[at], 'T') || is_date(&text[at], ' '))) {
      day = day_at(&text[at]);
    } else if (size == 10 || size == 13 || size == 16 || size == 19) {
      const year_month_day date(floor<days>(sys_seconds(seconds(std::stoll(std::string(text.substr(at, 10)))))));
      day = Day{int(date.year()), int(unsigned(date.month())), int(unsigned(date.day()))};
    }
    if (day && is_same(*day)) return day;
    at += size;
  }
  return std::nullopt;
}

// The day that a record gives to its line, before or behind the line's text, which may name other days.
std::optional<Day> day_of_record(std::string_view text, const KlogDay& klog) {
  constexpr std::size_t kNear = 1024;
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t header = find_klog_header(line);
  if (header == std::string_view::npos || header == 0) return std::nullopt;
  if (const auto day = same_day_in(line.substr(0, header), klog)) return day;
  std::size_t end = header;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  return end < text.size() ? same_day_in(text.substr(end, kNear), klog) : std::nullopt;
}

// The year in which month and day are nearest to `day`.
int nearest_year(const KlogDay& first, const Day& day) {
  int best = day.year;
  for (const int year : {day.year - 1, day.year + 1}) {
    const auto distance = [&](int y) { return std::labs(days_of({y, first.month, first.day}) - days_of(day)); };
    if (distance(year) < distance(best)) best = year;
  }
  return best;
}

std::optional<Day> first_day_of_file(const std::string& path, const LogTexts& texts) {
  if (!can_be_read_again(path, texts)) return std::nullopt;
  std::string head(kHead, '\0');
  std::size_t size = 0;
  try {
    ByteSource bytes(path, texts);
    while (size < head.size() && !bytes.at_end()) size += bytes.read(head.data() + size, head.size() - size);
  } catch (const Error&) {
    return std::nullopt;  // its own turn comes, and the error with it
  }
  const std::string_view text(head.data(), size);
  const auto day = own_day(text);
  return day ? day : first_day(text);
}

// The headers of klog lines: the first, and then one every now and then.
// Calls take(day, rest of the chunk from that line on).
template <class Take>
void sample(std::string_view chunk, Take&& take) {
  for (std::size_t at = 0; at < chunk.size();) {
    const std::size_t end = std::min(chunk.find('\n', at), chunk.size());
    const std::string_view line = chunk.substr(at, end - at);
    const std::size_t header = find_klog_header(line);
    if (header == std::string_view::npos) {
      at = end + 1;
      continue;
    }
    const KlogDay day = klog_day(line.substr(header));
    if (day.month >= 1 && day.month <= 12 && day.day >= 1) take(day, chunk.substr(at));
    const std::size_t next = at + kSampleDistance;
    if (next >= chunk.size()) return;
    at = std::min(chunk.find('\n', next), chunk.size()) + 1;
  }
}

// The first month but January of the klog lines of a text; 0: there is none. `done`: how much of it are whole lines.
int month_beside_january(std::string_view text, std::size_t& done) {
  done = 0;
  for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n', done)) {
    const std::string_view line = text.substr(done, end - done);
    const std::size_t header = find_klog_header(line);
    const int month = header == line.npos ? 0 : klog_day(line.substr(header)).month;
    if (month > 1 && month <= 12) return month;
    done = end + 1;
  }
  return 0;
}

// What `find(text, done)` finds first in a file, of which it takes whole lines; 0: nothing.
template <class Find>
int find_in_file(const std::string& path, const LogTexts& texts, Find&& find) {
  std::string text;
  try {
    ByteSource bytes(path, texts);
    for (std::size_t kept = 0; !bytes.at_end();) {
      text.resize(kept + kHead);
      text.resize(kept + bytes.read(text.data() + kept, kHead));
      std::size_t done = 0;
      if (const int found = find(text, done); found != 0) return found;
      text.erase(0, done);
      kept = text.size() > kHead ? 0 : text.size();  // what is longer is no line of klog
    }
  } catch (const Error&) {
    return 0;  // its own turn comes, and the error with it
  }
  return 0;
}

constexpr int kNoDay = 1;

// A day that the lines of klog name as their own, as yyyymmdd.
int number_of_own_day(std::string_view text, std::size_t& done) {
  done = text.rfind('\n') + 1;  // npos + 1 = 0
  const auto day = own_day(text.substr(0, done));
  return day ? (day->year * 100 + day->month) * 100 + day->day : 0;
}

// Whether the lines of klog have a 29 February: 1, or 0.
int leap_day_in(std::string_view text, std::size_t& done) {
  constexpr std::string_view kLeapDay = "0229 ";
  done = text.rfind('\n') + 1;  // npos + 1 = 0
  for (std::size_t at = text.find(kLeapDay, 1); at < done; at = text.find(kLeapDay, at + 1))
    if (find_klog_header(text.substr(at - 1)) == 0) return 1;
  return 0;
}

}  // namespace

// Where nothing says the year: one that has the days of these lines.
int LogCalendar::assumed_year(std::string_view chunk, const KlogDay& first) const {
  constexpr int kUsual = 1970, kLeap = 1972, kLastOfMarch = 3;
  if (is_after_new_year(chunk, first)) return kUsual + 1;
  std::size_t done = 0;
  const bool may_leap = first.month <= kLastOfMarch;
  const bool leaps = may_leap && (leap_day_in(chunk, done) != 0 ||
                                  (can_be_read_again(path_, texts_) && order_.found_in(path_, "leap day", [&] {
                                    return find_in_file(path_, texts_, leap_day_in);
                                  }) != 0));
  return leaps ? kLeap : kUsual;
}

// Where nothing else says the year: whether there are lines of the December before this January, wherever they stand.
bool LogCalendar::is_after_new_year(std::string_view chunk, const KlogDay& first) const {
  if (first.month != 1) return false;
  std::size_t done = 0;
  if (const int month = month_beside_january(chunk, done); month != 0) return month == 12;
  const auto month_of = [&](const std::string& path) {
    if (!can_be_read_again(path, texts_)) return 0;
    return order_.found_in(path, "month", [&] { return find_in_file(path, texts_, month_beside_january); });
  };
  if (const int own = month_of(path_); own != 0) return own == 12;
  return std::any_of(paths_.begin(), paths_.end(), [&](const std::string& path) { return month_of(path) == 12; });
}

void LogCalendar::begin_file(const std::string& path) {
  path_ = path;
  begun_ = unknown_ = false;
}

int LogCalendar::find_year(std::string_view chunk, const KlogDay& first) const {
  if (year_ != 0 && calendar_.year == 0) return year_ + (is_after_new_year(chunk, first) ? 1 : 0);
  if (year_ == 0) {
    if (const auto day = day_of_record(chunk, first)) return nearest_year(first, *day);
    if (const auto day = own_day(chunk)) return nearest_year(first, *day);
  }
  // A rotated file goes on where the last one ended.
  if (calendar_.year != 0) {
    KlogCalendar calendar = calendar_;
    calendar.turn_to(first.month);
    return calendar.year;
  }
  // Audit events are among the lines.
  if (chunk.find("requestReceivedTimestamp") != std::string_view::npos) {
    if (const auto day = first_day(chunk)) return nearest_year(first, *day);
  }
  for (const std::string& path : paths_) {
    if (path == path_) continue;
    if (const auto day = first_day_of_file(path, texts_)) return nearest_year(first, *day);
  }
  // In a log whose newest line comes first, or that others wrote into before, it stands farther behind.
  if (!can_be_read_again(path_, texts_)) return 0;
  const int day = order_.found_in(path_, "day", [&] {
    std::size_t read = 0;
    return find_in_file(path_, texts_, [&](std::string_view text, std::size_t& done) {
      return (read += text.size()) > kMostSearched ? kNoDay : number_of_own_day(text, done);
    });
  });
  return day <= kNoDay ? 0 : nearest_year(first, {day / 10000, day / 100 % 100, day % 100});
}

KlogCalendar LogCalendar::before_klog(std::string_view chunk) {
  std::size_t done = 0;
  if (year_ != 0 && !std::chrono::year(year_).is_leap() && leap_day_in(chunk, done) != 0)
    throw Error("--log-year " + std::to_string(year_) + ": " + name_of_input(path_) +
                " has lines of 29 February, which that year does not have");
  KlogCalendar before;
  bool first = true;
  sample(chunk, [&](const KlogDay& day, std::string_view rest) {
    if (!begun_) {
      begun_ = true;
      const int year = find_year(rest, day);
      unknown_ = year == 0;
      calendar_ = {unknown_ ? assumed_ = assumed_year(rest, day) : year, day.month};
    }
    if (first) before = calendar_;
    first = false;
    calendar_.turn_to(day.month);
  });
  return first ? calendar_ : before;
}

KlogCalendar LogCalendar::before_other(std::string_view chunk) {
  const std::string_view head = chunk.substr(0, kSampleDistance);
  if (const auto day = first_day(head)) {
    calendar_ = {day->year, day->month};
    return calendar_;
  }
  sample(head, [&](const KlogDay& klog, std::string_view rest) {
    if (begun_) return;
    begun_ = true;
    if (const auto day = day_of_record(rest, klog)) calendar_ = {nearest_year(klog, *day), klog.month};
    else unknown_ = year_ == 0 && calendar_.year == 0;
    if (unknown_) calendar_ = {assumed_ = assumed_year(rest, klog), klog.month};
  });
  return calendar_;
}

std::optional<int> LogCalendar::take_assumed() {
  const bool unknown = unknown_;
  unknown_ = false;
  const int earliest = assumed_ - assumed_ % 2;  // of a log over New Year, that of its December
  return unknown ? std::optional(earliest) : std::nullopt;
}

}  // namespace apf
