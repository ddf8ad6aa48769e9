// Findings weighed by traffic: how many requests of a log each of them is about.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <apf/config.h>
#include <apf/diagnostic.h>
#include <apf/kube_version.h>
#include <apf/request.h>
#include <apf/version.h>

namespace apf {

// Of a FlowSchema: the requests that match it, whether or not an earlier one takes them, and those that it takes.
// Where the finding is at a rule, or a subject or entry of one, only what matches that counts. Of a level: the requests
// that are led to it, twice.
struct Traffic {
  std::uint64_t requests = 0;
  std::uint64_t taken = 0;
  std::uint64_t of = 0;  // all requests of the log
};

// Counts requests one after the other; its memory does not grow with their number.
class APF_API TrafficCounter {
 public:
  // What lint found in `loaded`. Both may go afterwards.
  TrafficCounter(const LoadedConfig& loaded, std::span<const Diagnostic> findings,
                 KubeVersion version = kNewestKubeVersion);
  ~TrafficCounter();
  TrafficCounter(const TrafficCounter&) = delete;
  TrafficCounter& operator=(const TrafficCounter&) = delete;

  void count(const RequestInfo& info, const User& user);

  // By finding. Nothing for one that is not about an object in force: what the server rejects, and suppressions.
  std::vector<std::optional<Traffic>> result() const;

 private:
  struct APF_LOCAL Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace apf
