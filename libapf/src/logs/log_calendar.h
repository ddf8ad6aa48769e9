// The year of lines that do not write theirs (klog): from the rest of the log, or another log of the same server.
// Works chunk by chunk, in order, so that chunks can then be read in parallel.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <apf/logs.h>
#include <apf/time.h>

#include "logs/formats/klog_line.h"
#include "logs/log_order.h"

namespace apf {

class LogCalendar {
 public:
  // `year` of the earliest such line, 0 = to be found. The other paths are looked into only if nothing else has it.
  LogCalendar(int year, std::span<const std::string> paths, LogOrder& order, const LogTexts& texts = {})
      : paths_(paths), order_(order), texts_(texts), year_(year) {}

  // The next file begins.
  void begin_file(const std::string& path);
  // The calendar before this chunk of klog lines, and moves on to its end.
  KlogCalendar before_klog(std::string_view chunk);
  // The same for a chunk of other records, whose times are whole.
  KlogCalendar before_other(std::string_view chunk);
  // There are lines of the file whose year is not known: this one is taken of the earliest. Reported once a file.
  std::optional<int> take_assumed();

 private:
  int find_year(std::string_view chunk, const KlogDay& first) const;
  bool is_after_new_year(std::string_view chunk, const KlogDay& first) const;
  int assumed_year(std::string_view chunk, const KlogDay& first) const;

  std::span<const std::string> paths_;
  LogOrder& order_;
  LogTexts texts_;
  int year_;
  std::string path_;
  KlogCalendar calendar_;
  int assumed_ = 0;
  bool unknown_ = false, begun_ = false;
};

}  // namespace apf
