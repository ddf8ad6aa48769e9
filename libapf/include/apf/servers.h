// Replaying the logs of several kube-apiservers: each by itself, as API Priority and Fairness knows nothing of the
// others.
#pragma once

#include <string>
#include <vector>

#include <apf/replay.h>
#include <apf/version.h>

namespace apf {

struct ServersReport {
  std::vector<ReplayReport> servers;  // as given; ReplayReport::server is the name
  ReplayReport total;                 // what adds up: requests, refusals, seat-seconds, waits; no limits
};

// options[i].server are the names, different from each other. `threads` (0 = as many as there are processors) are
// shared among the servers; their own numbers of threads are ignored, and so is `progress` of all but the first.
// Decisions and timelines of servers with the same paths are written one server after the other, in the order given.
APF_API ServersReport replay_servers(const std::vector<ReplayOptions>& options, int threads);

}  // namespace apf
