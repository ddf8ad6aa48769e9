// What logs hold, and what of it a faithful replay will miss.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <apf/remark.h>
#include <apf/time.h>
#include <apf/trace.h>
#include <apf/version.h>

namespace apf {

struct LogFileStat {
  std::string name, format;  // format: as --log-format takes it
  std::uint64_t lines = 0, events = 0;
};

struct LogStat {
  std::vector<LogFileStat> files;
  std::uint64_t bytes = 0, lines = 0, events = 0, other_lines = 0;
  std::map<std::string, std::uint64_t> unusable;  // reason → lines
  std::optional<Nanos> first_arrival, last_arrival, last_end;

  // Requests: all, and those without an end in the log.
  std::uint64_t requests = 0, unfinished = 0;
  std::uint64_t in_both = 0;       // of them, those in an audit log and in the server's own log: each counts once
  std::uint64_t out_of_order = 0;  // written before the line before it, by more than the reorder window
  std::uint64_t steps_back = 0;    // runs of such lines: the clock was set back, or files are in the wrong order
  std::uint64_t duplicates = 0;    // a second end, with the same audit ID and arrival (of those near each other)
  std::uint64_t finish_without_start = 0;  // of watches: complete, but no ResponseStarted before
  std::uint64_t negative_latencies = 0;

  std::uint64_t users = 0, user_agents = 0, source_ips = 0;  // distinct
  // Name → requests. Distinct names beyond a thousand are counted together under "…".
  std::map<std::string, std::uint64_t> verbs, flow_schemas, priority_levels, stages, top_users;
  std::map<int, std::uint64_t> codes;  // 0 = none

  // Of the complete requests, those that record …
  std::uint64_t with_user = 0, with_implied_groups = 0, with_flow_schema = 0, with_queue_wait = 0, with_execution = 0,
                with_seats = 0, with_end = 0, with_id = 0;
  std::uint64_t watches = 0, watches_started = 0, watches_with_init = 0, refused = 0, http = 0, traces = 0;
  std::uint64_t whole_seconds = 0;  // events whose arrival has no fraction of a second
  // What the server says of itself.
  std::uint64_t starts = 0, rebalancings = 0, limit_changes = 0, configurations = 0;

  std::vector<Remark> missing;  // what a replay must assume or leave out
  std::vector<Remark> warnings;
  bool interrupted = false;
};

// Throws Error as trace_logs() does.
APF_API LogStat stat_logs(const LogOptions& options);

}  // namespace apf
