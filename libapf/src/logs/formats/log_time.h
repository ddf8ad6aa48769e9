// Instants as logs write them, fast: a log's instants are close together, so what is above the seconds is worked out
// once a minute.
#pragma once

#include <cstdint>
#include <string_view>

#include <apf/time.h>

namespace apf {

class LogTimeReader {
 public:
  // What parse_rfc3339 reads, also without a zone: UTC.
  bool read(std::string_view text, Nanos& out) { return read_common(text, out) || read_slowly(text, out); }

 private:
  // YYYY-MM-DDThh:mm:ss[.f{1,9}]Z within the minute of the last instant.
  bool read_common(std::string_view text, Nanos& out) const;
  bool read_slowly(std::string_view text, Nanos& out);

  static constexpr std::size_t kMinuteSize = 17;  // YYYY-MM-DDThh:mm:
  char minute_[kMinuteSize] = {};
  Nanos minute_begin_ = 0;
};

}  // namespace apf
