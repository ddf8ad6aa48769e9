// Counting the requests of a log that findings are about.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <apf/classify.h>
#include <apf/lint.h>

namespace apf {

// Counts requests one after the other; its memory does not grow with their number.
class TrafficCounter {
 public:
  // What lint found in `loaded`. Both may go afterwards.
  TrafficCounter(const LoadedConfig& loaded, std::span<const Diagnostic> findings,
                 KubeVersion version = kNewestKubeVersion, const Config& added = {});
  ~TrafficCounter();
  TrafficCounter(const TrafficCounter&) = delete;
  TrafficCounter& operator=(const TrafficCounter&) = delete;

  void count(const RequestInfo& info, const User& user);

  // By finding. Nothing for one that is not about an object in force: what the server rejects, and suppressions.
  std::vector<std::optional<Traffic>> result() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace apf
