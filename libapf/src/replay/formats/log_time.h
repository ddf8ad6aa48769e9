// Instants as logs write them, fast: a log's instants are close together, so the day is worked out once.
#pragma once

#include <cstdint>
#include <string_view>

#include <apf/time.h>

namespace apf {

class LogTimeReader {
 public:
  // What parse_rfc3339 reads, and nothing else.
  bool read(std::string_view text, Nanos& out) {
    return read_common(text, out) || read_slowly(text, out);
  }

 private:
  // YYYY-MM-DDThh:mm:ss[.f{1,9}]Z of the day of the last instant.
  bool read_common(std::string_view text, Nanos& out) const;
  bool read_slowly(std::string_view text, Nanos& out);

  char day_[10] = {};
  Nanos midnight_ = 0;
};

}  // namespace apf
