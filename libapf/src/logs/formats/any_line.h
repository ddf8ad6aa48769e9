// A line of any kind that is read here, recognised by itself: what is within a wrapping, or among lines of another
// kind.
#pragma once

#include <memory>
#include <string_view>

#include "logs/formats/klog_line.h"
#include "logs/log_event.h"

namespace apf {

struct LineContext {
  std::uint64_t line = 0;
  Nanos written = kNoTime;   // when a container runtime took the line
  Nanos stamped = kNoTime;   // the time that its record has, which a line without klog's header is of
  std::uint32_t origin = 0;  // as LogEvent::origin
  int depth = 0;             // how many layers are around it
};

class AnyLineParser {
 public:
  virtual ~AnyLineParser() = default;
  virtual void begin(const KlogCalendar& calendar) = 0;
  virtual void parse_line(std::string_view text, const LineContext& context, LogEventSink& sink) = 0;
};
std::unique_ptr<AnyLineParser> make_any_line_parser();

}  // namespace apf
