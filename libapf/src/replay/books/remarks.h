// What a replay assumed: the engine and its stages supply the facts, remarks.cc turns them into remarks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <apf/remarks.h>
#include <apf/replay.h>
#include <apf/time.h>

#include "replay/books/engine_start.h"

namespace apf {

// The borrowing clock, and the configuration as the server's own log shows it.
struct ClockFacts {
  EngineStart start;
  std::uint64_t restarts = 0;                // of the server, within its log
  std::optional<std::int64_t> logged_seats;  // that the server shared
  int seats = 0;                             // that the replay shares
  std::uint64_t unexplained_digests = 0;     // of changed configurations that no --config-at gives
  Nanos first_unexplained_digest = 0;
  std::uint64_t odd_deviations = 0;  // of demand, that the release takes in and the replay does not
};

// How long requests hold their seats, and how many.
struct ServiceFacts {
  Nanos overhead = 0;
  Nanos service_floor = 0;
  std::uint64_t anchored = 0;        // to the recorded end, because the wait is not recorded
  std::uint64_t totals = 0;          // run for their recorded total, because nothing waits in the log
  bool records_waits = true;         // the server's release writes waits into its audit log
  std::uint64_t given_typical = 0;   // refused or unfinished in the log, served here
  std::uint64_t refused_in_log = 0;  // of these
  std::optional<Nanos> typical;      // set: how long these run; else the mean of similar requests
  bool retries = false;              // refused clients come back
  std::uint64_t watches_without_init = 0, refused_watches = 0;  // the latter of these, in the log
  Nanos watch_init = 0;
  std::uint64_t lists_without_counts = 0;               // lists of 1 seat, because there are no object counts
  std::uint64_t lists = 0, lists_of_unknown_bytes = 0;  // these where bytes make them wide: see ListWidths
};

struct EventLimitFacts {
  std::uint64_t without_object = 0, without_user = 0;  // events that a limit could not be asked about
  bool dropped = true;                                 // refused ones, as client-go does it
};

struct QuotaFacts {
  std::uint64_t without_object = 0;   // requests of which only the object count could be decided
  std::uint64_t unknown_changes = 0;  // changes and deletions of objects that the log does not describe
  bool freed_at_once = true;
  bool never_conflict = true;
};

struct ReplayFacts {
  std::optional<ClockFacts> clock;  // none where API Priority and Fairness is off
  ServiceFacts service;
  bool limits_clients = false;
  std::uint64_t further_attempts = 0;  // left out
  std::optional<EventLimitFacts> event_limits;
  std::optional<QuotaFacts> quotas;
  std::uint64_t standing_watches = 0;   // that began before the log
  std::uint64_t timed_out_watches = 0;  // whose end the log does not hold
  Nanos min_request_timeout = 0;
  std::vector<KubeVersion> versions;  // that are replayed: the recorded one, and that of the report
  std::uint64_t fixed_flows = 0;      // requests that went where the HTTP log says
  std::uint64_t missing_schemas = 0;  // of requests whose FlowSchema the configuration does not have
};

std::vector<Remark> assumptions_of(const ReplayFacts& facts);
// What a second pass takes from the first one.
std::vector<Remark> assumptions_of(const WhatIfReport& what_if);
// What clients do, and seem to do, in a second pass. `by_log`: they were to behave as the log shows.
std::vector<Remark> assumptions_of_clients(const ReplayReport& report, bool by_log);

}  // namespace apf
