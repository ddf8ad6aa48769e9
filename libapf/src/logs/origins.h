// Whether the lines of one log come from several servers, where the lines say who wrote them.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

namespace apf {

class Origins {
 public:
  // The last lines of a process and the first ones of the next may be mixed, too.
  static constexpr std::uint64_t kRestart = 10;

  // Origins of a file in the order in which they change. Of klog (odd) it is the process, of which a restart brings a
  // new one, once; coming back to one that was left before is what only a mixture does. What records and prefixes say
  // beside audit events (even) names the server itself.
  void add(std::uint32_t file, const std::vector<std::uint32_t>& origins) {
    if (file != file_) {
      seen_.clear();
      servers_.clear();
    }
    file_ = file;
    for (const std::uint32_t origin : origins) {
      if ((origin & 1) == 0) {
        servers_.insert(origin);
        several_ = several_ || servers_.size() > 1;
        continue;
      }
      if (origin == current_ && !seen_.empty()) continue;
      if (!seen_.insert(origin).second) ++returns_;
      current_ = origin;
    }
  }
  bool mixed() const { return several_ || returns_ > kRestart; }

 private:
  std::uint32_t file_ = 0, current_ = 0;
  std::unordered_set<std::uint32_t> seen_, servers_;
  std::uint64_t returns_ = 0;
  bool several_ = false;
};

}  // namespace apf
