// What a result assumes, warns of or remarks, as values. apf/report.h words them (sentence_of); a program may add what
// its user can do about one.
//
//   for (const apf::Remark& remark : report.assumptions)
//     if (remark.kind == apf::RemarkKind::clock_guessed) ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <apf/time.h>

namespace apf {

// The numbers that belong to a kind are in brackets. apf::to_string in apf/report.h gives the stable name of a kind.
enum class RemarkKind : std::uint8_t {
  // Assumptions of a replay.
  clock_from_log,          // [time]: when seats first moved, from later moves in the log
  clock_fitted,            // [time, count]: the server's start, by the waits of so many requests
  clock_guessed,           // [time]: the server's start, at the first arrival
  server_restarted,        // [count]
  seats_differ,            // [count, other]: seats that the server shared, that the replay shares
  configuration_unknown,   // [count, time]: changes that the replay does not have, the first of them
  service_overhead,        // [duration]: added to each execution time
  ends_from_log,           // [count]: requests without a recorded wait
  execution_estimated,     // [count, maybe duration]: requests refused in the log and served in the replay
  retries_in_log,          // [count]: requests refused in the log and served in the replay
  watch_init_assumed,      // [count, duration]
  client_limit_delays,     // []
  event_objects_missing,   // [count]
  event_users_missing,     // [count]
  refused_events_dropped,  // [duration]: how long they hold their seats
  quota_objects_missing,   // [count]
  quota_changes_unknown,   // [count]
  quota_freed_at_once,     // []
  quota_updates_in_order,  // []
  watches_before_log,      // [count]
  flows_from_http_log,     // [count]
  flow_schemas_unknown,    // [count]
  object_counts_missing,   // [count]: lists
  groups_implied,          // [count]
  time_zone_shifted,       // [duration]: added to the times of the server's own log
  // What is wrong with a log.
  ends_before_arrival,  // [count]
  duplicate_events,     // [count]
  unfinished_requests,  // [count]
  logs_unrelated,       // []
  clock_set_back,       // [count, duration]: how often, by how much at most
  servers_mixed,        // []
  too_many_watches,     // []
  log_empty,            // [name]
  log_damaged,          // [name, detail]: how
  log_year_unknown,     // [name]
  document_too_large,   // [name]
  // What a log does not contain.
  seats_missing,           // [count, total]: requests with seats, all requests
  execution_missing,       // []
  http_execution_missing,  // []
  users_missing,           // []
  classification_missing,  // []
  waits_missing,           // []
  watch_starts_missing,    // [count, total]: watches without their start, all watches
  watch_init_missing,      // [count, total]
  ends_missing,            // [count]
  clock_missing,           // []
  whole_seconds,           // []
  out_of_order,            // [count, other, duration]: requests, places, more than this before their neighbours
  // Of a request that is explained.
  resource_unknown,      // [name, maybe detail]: the resource, the one that may be meant
  namespace_ignored,     // [name, detail]: the resource, the namespace
  namespace_needed,      // [name, detail]: the resource, the verb
  object_count_unknown,  // [name]: the resource
  // Of manifests that are checked against quotas; [name] is kind and name of an object.
  quota_without_status,    // [name]
  manifest_repeated,       // [name]
  workload_objects_given,  // [name]
  pods_depend_on_nodes,    // [name]
  workload_suspended,      // [name]
  cron_job_as_one_job,     // [name]
  kCount
};

struct Remark {
  RemarkKind kind = RemarkKind::kCount;
  std::optional<std::uint64_t> count = std::nullopt;
  std::optional<std::uint64_t> total = std::nullopt;  // of how many
  std::optional<std::uint64_t> other = std::nullopt;  // a second number: the kind says of what
  std::optional<Nanos> time = std::nullopt;
  std::optional<Nanos> duration = std::nullopt;
  std::string name = {};    // of a log, a resource, an object
  std::string detail = {};  // a second text: the kind says what
  std::string hint = {};    // set by the program that shows the remark: "use --start to set another time"
  bool operator==(const Remark&) const = default;
};

}  // namespace apf
