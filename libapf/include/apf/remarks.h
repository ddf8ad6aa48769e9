// Remarks: what a result assumes, warns of or notes, as facts. sentence_of() of <apf/report_words.h> words them.
//
//   for (const apf::Remark& remark : apf::release_remarks(apf::kNextKubeVersion))
//     std::puts(apf::to_string(remark.kind));  // release-not-out
//
// Times are nanoseconds since 1970 UTC, durations nanoseconds. They are values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <apf/time.h>
#include <apf/version.h>

namespace apf {

// Written by tools/docs/remarks.py from libapf/src/report/core/remarks.inc. apfctl-remarks(7) says of each kind which
// values it has and what they are; to_string() gives the name that it has there.
enum class RemarkKind : std::uint8_t {
  // Assumptions of a replay
  clock_from_log,
  clock_fitted,
  clock_guessed,
  server_restarted,
  seats_differ,
  seats_assumed,
  configuration_unknown,
  service_overhead,
  ends_from_log,
  nothing_waited,
  waits_unrecorded,
  execution_estimated,
  waits_replayed,
  execution_of_similar,
  widths_unknown,
  widths_by_counts,
  wider_than_level,
  retries_in_log,
  retries_dropped,
  further_attempts,
  client_waits,
  no_client_waits,
  client_requests_dropped,
  client_requests_repeated,
  watch_init_assumed,
  client_limit_delays,
  event_objects_missing,
  event_users_missing,
  refused_events_dropped,
  quota_objects_missing,
  quota_changes_unknown,
  quota_freed_at_once,
  quota_updates_in_order,
  odd_deviations,
  watches_before_log,
  watches_ended,
  flows_from_http_log,
  flow_schemas_unknown,
  object_counts_missing,
  widths_measured,
  list_bytes_unknown,
  groups_implied,
  newest_patch_meant,
  time_zone_shifted,
  // What speaks against a replay
  log_contradicts_replay,
  log_contradicts_recorded,
  log_contradicts_at_end,
  seats_while_refusing,
  no_request_ends,
  only_refusals,
  one_user,
  one_verb,
  only_slow,
  // Faults of logs
  client_model_unused,
  client_timeout_unused,
  client_limit_unused,
  scale_unused,
  ends_before_arrival,
  duplicate_events,
  aggregated_repeats,
  unfinished_requests,
  logs_unrelated,
  out_of_order,
  refusals_of_others,
  server_trouble,
  servers_mixed,
  servers_in_files,
  logs_left_out,
  release_differs,
  too_many_watches,
  log_empty,
  log_damaged,
  log_year_unknown,
  document_too_large,
  threads_missing,
  // What logs do not contain
  seats_missing,
  execution_missing,
  http_execution_missing,
  users_missing,
  classification_missing,
  waits_missing,
  watch_starts_missing,
  watch_init_missing,
  ends_missing,
  clock_missing,
  whole_seconds,
  // Signs that a log is incomplete
  load_missing,
  policy_omits,
  nodes_missing,
  lease_updates_missing,
  watches_missing,
  reads_missing,
  only_writes,
  gap_in_time,
  requests_sampled,
  revisions_missing,
  event_counts_missing,
  // What would make a log better
  better_policy,
  better_server_log,
  better_object_counts,
  better_start,
  better_scrapes,
  // Of a request that is explained
  resource_unknown,
  namespace_ignored,
  type_and_name,
  subresource_read,
  namespace_needed,
  object_count_unknown,
  // Of manifests that are checked against quotas
  quota_without_status,
  manifest_repeated,
  workload_objects_given,
  pods_depend_on_nodes,
  workload_suspended,
  cron_job_as_one_job,
  // Of the release, and of objects that it maintains itself
  release_newer,
  release_not_out,
  objects_restored,
  objects_deleted,
  kCount
};

struct Remark {
  RemarkKind kind = RemarkKind::kCount;
  std::optional<std::uint64_t> count = std::nullopt;
  std::optional<std::uint64_t> total = std::nullopt;  // of how many
  std::optional<std::uint64_t> other = std::nullopt;
  std::optional<Nanos> time = std::nullopt;
  std::optional<Nanos> duration = std::nullopt;
  std::string name = {};  // of a log, a resource, an object
  std::string detail = {};
  // What its user can do, set by the program that shows the remark: hint_of() of <apf/report_words.h>, or what it knows
  // better.
  std::string hint = {};
  bool operator==(const Remark&) const = default;
};

APF_API const char* to_string(RemarkKind kind);  // "clock-guessed"; never changes

// What there is to say of a release that is newer than the newest one that is out.
APF_API std::vector<Remark> release_remarks(KubeVersion release);

}  // namespace apf
