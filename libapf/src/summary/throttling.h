// Lines in which client-go says that a request waited in the client: of its own rate limiter, and of no server.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include <apf/log_summary.h>

namespace apf {

struct Throttled {
  Nanos delay = 0;
  std::string target;
};
// False: the line is none of client-go's limiter.
bool read_throttled(std::string_view line, Throttled& out);

class ThrottlingSums {
 public:
  void add(const Throttled& line);
  ClientThrottling finish(std::size_t top);

 private:
  ClientThrottling out_;
  std::unordered_map<std::string, LogTally> targets_;
};

}  // namespace apf
