// Lines as klog writes them: a header with month, day and time, process and place, then a message, in structured form
// followed by key="value" pairs. What comes before the header (a container runtime's or a journal's time stamps, a
// file name from grep, a comment sign) is skipped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <apf/time.h>

#include "logs/formats/json_walk.h"

namespace apf {

// The year and zone of a log's calendar: klog writes month and day, but neither year nor zone.
struct KlogCalendar {
  int year = 0;   // of the latest line; 0 = not known: 1970 is taken
  int month = 0;  // of the latest line; 0 = there was none yet
  // To a line of this month: over New Year where that is nearer than a leap within the year.
  void turn_to(int new_month);
};

struct KlogLine {
  Nanos time = 0;
  char severity = 'I';       // E: error, W: warning, F: fatal
  std::string_view prefix;   // what comes before the header
  std::string_view process;  // digits
  std::string_view place;    // "httplog.go:134"
  std::string_view message;  // to the end of the line, without blanks there
};

// The place of a klog header (I1120 12:00:00.123456) within the line, at its begin or behind a prefix; npos: none.
std::size_t find_klog_header(std::string_view line);

// Month and day of the header that begins here.
struct KlogDay {
  int month = 0, day = 0;
};
KlogDay klog_day(std::string_view header);

class KlogLineReader {
 public:
  void begin(const KlogCalendar& calendar);
  // False: the line has no klog header. Texts are views into the line or (of an export as CSV, whose quotes are
  // doubled) into the scratch.
  bool read(std::string_view line, KlogLine& out, JsonScratch& scratch);

  // As read(); but of a line that a shipper has given the time when it was written, which gives year and zone.
  bool read(std::string_view line, Nanos written, KlogLine& out, JsonScratch& scratch);

 private:
  bool read_time(const char* header, Nanos& out);
  bool read_time_near(const char* header, Nanos written, Nanos& out);

  static constexpr std::size_t kMinuteSize = 10;  // mmdd hh:mm
  KlogCalendar calendar_{1970, 0};
  char minute_[kMinuteSize] = {};
  Nanos minute_begin_ = 0;
};

// The RFC 3339 time that a line begins with (CRI), behind a name if need be; kNoTime if there is none.
Nanos leading_time(std::string_view text);

// key=value pairs, values quoted as Go quotes them or bare up to the next blank.
class KlogPairs {
 public:
  explicit KlogPairs(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}
  enum class Next { pair, done, cut_off };  // cut_off: the text ends within a quoted value
  Next next();
  // If the next key is this one, given with its "=", as next(); otherwise nothing happens, and it is done.
  template <std::size_t kSize>
  Next next_if(const char (&key)[kSize]) {
    while (at_ != end_ && *at_ == ' ') ++at_;
    if (static_cast<std::size_t>(end_ - at_) < kSize - 1 || !same_bytes<kSize - 1>(at_, key)) return Next::done;
    key_ = {at_, kSize - 2};
    at_ += kSize - 1;
    return take_value();
  }
  std::string_view key() const { return key_; }
  std::string_view raw() const { return value_; }  // between its quotes, escapes as written

 private:
  Next take_value();
  const char *at_, *end_;
  std::string_view key_, value_;
};

// Resolves the escapes of Go's %q. What is no escape stays as it is.
std::string_view unquote_go(std::string_view raw, JsonScratch& scratch);

inline std::string_view go_text(std::string_view raw, JsonScratch& scratch) {
  return has_escape(raw) ? unquote_go(raw, scratch) : raw;
}

}  // namespace apf
