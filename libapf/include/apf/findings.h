// Findings: faults in a user's file as values. Each says where it is, what is wrong, and how it is fixed.
//
//   apf::Diagnostic finding;
//   finding.code = "APF101";
//   finding.message = "there is no such level";
//   finding.span = {"a.yaml", 3, 5, 3, 12};
//   std::puts(apf::to_string(finding).c_str());  // a.yaml:3:5: error: there is no such level
//
// Reading (<apf/config.h>), validating (<apf/config.h>) and linting (<apf/lint.h>) return lists of them; the render
// functions of <apf/report.h> show them. They are values without references to anything. Lines and columns count from
// 1, columns and edits in bytes of UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <apf/time.h>
#include <apf/version.h>

namespace apf {

enum class Severity { info, warning, error };
APF_API const char* to_string(Severity severity);  // "info", "warning", "error"

// A stretch of a source text. Lines and columns count from 1, columns in bytes; the end is the
// column after the last byte. line 0 = no position known.
struct Span {
  std::string file;
  int line = 0;
  int column = 0;
  int end_line = 0;
  int end_column = 0;
  bool known() const { return line > 0; }
};

struct Note {
  std::string message;
  Span span;
};

// A change of the source text: bytes [begin, end) of the file become `text`.
struct Edit {
  std::string file;
  std::size_t begin = 0, end = 0;
  std::string text;
};

struct Fix {
  std::string title;  // "replace it with …", one line
  bool safe = false;  // true: the server treats the object as before; false: requests may be treated otherwise
  std::vector<Edit> edits;
};

struct APF_API Diagnostic {
  Diagnostic();
  Diagnostic(const Diagnostic&);
  Diagnostic(Diagnostic&&) noexcept;
  Diagnostic& operator=(const Diagnostic&);
  Diagnostic& operator=(Diagnostic&&) noexcept;
  ~Diagnostic();

  std::string code;  // "APF001"; empty for what has no rule of its own
  std::string name;  // kebab name of the rule
  Severity severity = Severity::error;
  std::string message;  // one line
  Span span;
  int document = 0;  // index of the YAML document within the file, from 0
  std::string api_version, kind, object_name;
  std::string field;   // as kube-apiserver prints it: spec.rules[0].subjects
  std::string type;    // kube-apiserver's error type ("Required value"), empty if it has none
  std::string detail;  // kube-apiserver's detail text
  std::vector<Note> notes;
  std::string witness;  // a request that shows it, as a command to paste; may be empty
  std::optional<Fix> fix;
};

// "file:line:column: error: message", parts that are not known left out.
APF_API std::string to_string(const Diagnostic& diagnostic);

// Sorted by file, position, code and message; exact repetitions removed.
APF_API void sort_diagnostics(std::vector<Diagnostic>& diagnostics);

// --- remarks ---

// What a result assumes, warns of or remarks is a Remark: facts, which sentence_of() of <apf/report.h> words. A program
// may add what its user can do about one: hint_of() of the same header, or what it knows better.

// Written by tools/docs/remarks.py from libapf/src/report/remarks.inc. apfctl-remarks(7) says of each kind which values
// it has and what they are; to_string() gives the name that it has there.
enum class RemarkKind : std::uint8_t {
  // Assumptions of a replay
  clock_from_log,
  clock_fitted,
  clock_guessed,
  server_restarted,
  seats_differ,
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
  seats_while_refusing,
  no_request_ends,
  only_refusals,
  one_user,
  one_verb,
  only_slow,
  // Causes
  configuration_refuses,
  configuration_delays,
  load_exceeds_seats,
  server_is_full,
  // Faults of logs
  client_model_unused,
  client_timeout_unused,
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
  std::string hint = {};  // set by the program that shows the remark
  bool operator==(const Remark&) const = default;
};

APF_API const char* to_string(RemarkKind kind);  // "clock-guessed"; never changes

// What there is to say of a release that is newer than the newest one that is out.
APF_API std::vector<Remark> release_remarks(KubeVersion release);

}  // namespace apf
