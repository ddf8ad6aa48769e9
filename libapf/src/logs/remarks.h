// What reading logs has to remark.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <apf/logs.h>

#include "logs/event_batch.h"
#include "logs/join_rules.h"
#include "logs/server_names.h"

namespace apf {

// What was odd in a log, added up over its tracks.
struct ReadingFacts {
  Falls falls;
  std::uint64_t implied_groups = 0;  // events whose groups are what follows from the user's name
  RefusalCounts refusals;
  TroubleCounts troubles;
  std::uint64_t threads = 0, threads_wanted = 0;
  std::vector<LogSpan> spans;  // of all logs
  bool mixed = false;          // lines of several servers, or of several processes of one
};

void remark(const ReadingFacts& facts, LogReport& report);
// Sets what the report says of requests and of how two logs were joined, too.
void remark(const JoinSums& sums, LogReport& report);
// `zone`: what was added to times of the HTTP log.
void remark_zone(Nanos zone, LogReport& report);
// Of `apfctl log`: what a replay must assume or leave out.
// `release`: of the server, if it is known.
std::vector<Remark> missing_of(const LogStat& stat, std::optional<KubeVersion> release = {});

}  // namespace apf
