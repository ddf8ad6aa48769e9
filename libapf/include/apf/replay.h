// Replay: what would have happened to the requests of a log under a configuration.
//
//   apf::ReplayOptions options;
//   options.logs = {"audit.log"};
//   options.config = apf::bootstrap_config(apf::kNewestKubeVersion);
//   options.server_concurrency_limit = 600;
//   const apf::ReplayReport report = apf::replay(options);
//   for (const apf::LevelReport& level : report.levels)
//     std::printf("%s: %llu refused\n", level.name.c_str(),
//                 static_cast<unsigned long long>(level.tally.rejected()));
//
// Options are values that the caller owns; ReplayOptions::interrupted, if set, must live as long as the call. Times are
// nanoseconds since 1970 UTC, durations nanoseconds, seats whole numbers. replay() uses threads of its own and calls
// `progress` from the thread that called it; several replays may run at once. It throws apf::Error for a log that
// cannot be read and an output that cannot be written; what is doubtful in a log is said in the report.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <apf/replay_options.h>
#include <apf/replay_report.h>

namespace apf {

// Throws Error: a log that cannot be opened or is of no known format, an output that cannot be written; with a fill or
// a spread a log that can be read only once.
APF_API ReplayReport replay(const ReplayOptions& options);

// Replaying the logs of several kube-apiservers: each by itself, as API Priority and Fairness knows nothing of the
// others.

struct ServersReport {
  std::vector<ReplayReport> servers;  // as given; ReplayReport::server is the name
  ReplayReport total;                 // what adds up: requests, refusals, seat-seconds, waits; no limits
};

// options[i].server are the names, different from each other. `threads` (0 = as many as there are processors) are
// shared among the servers; their own numbers of threads are ignored, and so is `progress` of all but the first.
// Decisions and timelines of servers with the same paths are written one server after the other, in the order given.
APF_API ServersReport replay_servers(const std::vector<ReplayOptions>& options, int threads);

// Systems that limit requests, each alone before the same log, which is read once: it may be standard input or a pipe.
// systems[i] differ in `server`, the system's name, and in client_limits, in_flight, event_rate_limit, event_sending
// and what is of quotas. The reports, in this order, are those that replay() makes of each; `incomplete` and `join` are
// of the one reading. `threads` are shared as above; `progress` of all but the first is ignored. Throws Error as
// replay(), and for what is more than a report: decisions, timeline, dumps, metrics, series, a fill or a spread.
APF_API std::vector<ReplayReport> replay_systems(const std::vector<ReplayOptions>& systems, int threads);

}  // namespace apf
