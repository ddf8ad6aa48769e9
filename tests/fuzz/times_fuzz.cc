// Any text as a time or a duration: what is one prints to what reads as the same.
#include <cstdint>
#include <cstdlib>

#include <apf/replay.h>
#include <apf/time.h>

#include "fuzz/entry.h"
#include "logs/formats/httplog.h"

using apf::fuzz::require;

APF_FUZZER(times_fuzz) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto duration = apf::parse_go_duration(text))
    require(apf::parse_go_duration(apf::format_go_duration(*duration)) == duration);
  if (const auto time = apf::parse_rfc3339(text)) require(apf::parse_rfc3339(apf::format_rfc3339(*time)) == time);
  if (apf::is_calendar_date(text))
    require(apf::parse_rfc3339(std::string(text) + "T00:00:00Z").has_value() || text < "1679" || text > "2261");
  apf::ReplayTime::parse(text);
  apf::read_logged_duration(text);
}
