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
// may add what its user can do about one.

// The numbers that belong to a kind are in brackets. apf::to_string in apf/report.h gives the stable name of a kind.
enum class RemarkKind : std::uint8_t {
  // Assumptions of a replay.
  clock_from_log,            // [time]: when seats first moved, from later moves in the log
  clock_fitted,              // [time, count]: the server's start, by the waits of this number of requests
  clock_guessed,             // [time]: the server's start, at the first arrival
  server_restarted,          // [count]
  seats_differ,              // [count, other]: seats that the server shared, that the replay shares
  configuration_unknown,     // [count, time]: changes that the replay does not have, the first of them
  service_overhead,          // [duration]: added to each execution time
  ends_from_log,             // [count]: requests without a recorded wait
  nothing_waited,            // [count]: requests without a recorded wait, in a log where nothing waits or is refused
  waits_unrecorded,          // [count]: the same, where the server's release does not record waits
  execution_estimated,       // [count, maybe duration]: requests refused in the log and served in the replay
  waits_replayed,            // [count]: requests without a recorded wait, in a what-if
  execution_of_similar,      // [count]: requests refused or unfinished in the log, in a what-if
  widths_unknown,            // [count]: lists as wide as the recorded configuration allowed, without object counts
  widths_by_counts,          // [count]: with them
  wider_than_level,          // [count]: requests that take fewer seats than they would
  retries_in_log,            // [count]: requests refused in the log and served in the replay
  retries_dropped,           // [count]: retries in the log that are left to the replay
  client_waits,              // [name, detail, count, other]: a client, its model, its requests, most in flight
  no_client_waits,           // []: clients were to wait as the log shows, and it shows none
  client_requests_dropped,   // [count]: of clients that wait for answers, after the end of the log
  client_requests_repeated,  // [count]: of such clients, once more, because they were answered sooner than in the log
  watch_init_assumed,        // [count, duration]
  client_limit_delays,       // []
  event_objects_missing,     // [count]
  event_users_missing,       // [count]
  refused_events_dropped,    // [duration]: how long they hold their seats
  quota_objects_missing,     // [count]
  quota_changes_unknown,     // [count]
  quota_freed_at_once,       // []
  quota_updates_in_order,    // []
  odd_deviations,            // [count]: deviations of demand that are NaN, which the release takes in
  watches_before_log,        // [count]
  watches_ended,             // [count, duration]: watches without an end in the log, --min-request-timeout
  flows_from_http_log,       // [count]
  flow_schemas_unknown,      // [count]
  object_counts_missing,     // [count]: lists
  widths_measured,           // [detail]: resources whose lists are as wide as the server's histograms say
  list_bytes_unknown,        // [count, total]: lists of which nothing says what they return, all lists
  groups_implied,            // [count]
  newest_patch_meant,        // [name, detail]: a release without a patch; what its earlier patches do otherwise
  time_zone_shifted,         // [duration]: added to the times of the server's own log
  // What is wrong with a log, or with a question about it.
  client_model_unused,    // [name, detail]: what no user agent and no user name of the log begins with; its model
  client_timeout_unused,  // [name, duration]: the same; its time-out
  scale_unused,           // [name, detail]: what no user name of the log matches; how many times its load
  ends_before_arrival,    // [count]
  duplicate_events,       // [count]
  aggregated_repeats,     // [count]: requests that an aggregated API server logged again
  unfinished_requests,    // [count]
  logs_unrelated,         // []
  clock_set_back,         // [count, duration]: how often, by how much at most
  servers_mixed,          // []
  servers_in_files,       // [count, detail]: servers whose logs these seem to be; each as NAME=LOG
  logs_left_out,          // [count, name, detail]: files of a folder or an archive; the first of them; why
  release_differs,        // [name, detail]: the release that is given, that of the server's log
  too_many_watches,       // []
  log_empty,              // [name]
  log_damaged,            // [name, detail]: how
  log_year_unknown,       // [name]
  document_too_large,     // [name]
  threads_missing,        // [count, total]: threads that could be started, those that were wanted
  refusals_of_others,     // [count, total, detail]: answers 429 not by API Priority and Fairness, all; their causes
  // What a log does not contain.
  seats_missing,           // [count, total, name]: requests with seats, all requests; the release, if it is why
  execution_missing,       // []
  http_execution_missing,  // [name]: the release, if it is why
  users_missing,           // []
  classification_missing,  // [name]: the same
  waits_missing,           // [name]: the same
  watch_starts_missing,    // [count, total]: watches without their start, all watches
  watch_init_missing,      // [count, total]
  ends_missing,            // [count]
  clock_missing,           // []
  whole_seconds,           // []
  out_of_order,            // [count, other, duration]: requests, places, more than this before their neighbours
  // What says that a log is not the whole traffic.
  load_missing,   // [count, total, other, name]: missing, dispatched; thousandths of seats that they took; scrapes
  policy_omits,   // [name, detail, count]: FlowSchemas of which nothing is recorded; of which not all is
  nodes_missing,  // [count]: pods that were bound to nodes, none of which sends a request
  lease_updates_missing,  // [count]: writes of leader-elected controllers
  watches_missing,        // [count, duration]: clients that would have watches; span of the log
  reads_missing,          // [count]: writes; no client reads
  only_writes,            // [count, name, other]: clients that change objects and never read; one; its changes
  gap_in_time,            // [count, time, duration, other]: gaps; the longest; requests that would be in it
  requests_sampled,       // [total, count]: percent that is there; clients that renew leases
  revisions_missing,      // [count, total]: writes in the log, of how many
  event_counts_missing,   // [count, total]: occurrences of events that were written, of how many
  // What would make a log better, for log.
  better_policy,         // [name]: FlowSchemas
  better_server_log,     // []
  better_object_counts,  // [count]: lists
  better_start,          // []
  better_scrapes,        // []
  // Of a request that is explained.
  resource_unknown,      // [name, maybe detail]: the resource, the one that may be meant
  namespace_ignored,     // [name, detail]: the resource, the namespace
  type_and_name,         // [name, detail]: the resource and the object of TYPE/NAME
  subresource_read,      // [name, detail]: the resource and its subresource, where an object might be meant
  namespace_needed,      // [name, detail]: the resource, the verb
  object_count_unknown,  // [name]: the resource
  // Of manifests that are checked against quotas; [name] is kind and name of an object.
  quota_without_status,    // [name]
  manifest_repeated,       // [name]
  workload_objects_given,  // [name]
  pods_depend_on_nodes,    // [name]
  workload_suspended,      // [name]
  cron_job_as_one_job,     // [name]
  // Of the release, and of given objects that it maintains itself.
  release_newer,     // [name, detail]: newer than all known releases; the one that it is taken for
  release_not_out,   // [name]: known before it was released
  objects_restored,  // [count, name]: whose spec the server replaces by its own
  objects_deleted,   // [count, name]: by the server
  // What speaks against a replay.
  // [count, other, total, name, detail]: requests that the log refused, that the replay refuses, of how many; at which
  // levels, of whom. Where waits contradict it, [duration, time]: the mean wait in the log, and in the replay.
  log_contradicts_replay,
  log_contradicts_recorded,  // the same of the replay of the recorded server, which goes before that of another one
  seats_while_refusing,      // [count, name]: most seats in use in the log while a level refused requests; the level
  // What says that a log is a selection, from which nothing follows for its server.
  no_request_ends,  // [count]: requests, none of which has an end
  only_refusals,    // [count]: requests, all of which were refused
  one_user,         // [count, name]: requests, all of one user
  one_verb,         // [count, name]: requests, all of one verb
  only_slow,        // [count, duration]: requests, none of which took less
  // Why requests of a level are refused or wait.
  // [name, detail, count, total, other]: the level; what holds it back; seats idle meanwhile, of how many; seats that
  // its requests would take together with what is in use.
  configuration_refuses,
  configuration_delays,  // the same of requests that only wait
  load_exceeds_seats,    // the same, where that is more than there are
  // [name, detail, count, total, duration, time]: the level; "refused" or "delayed"; idle seats, of how many; how long
  // all were in use, the longest time.
  server_is_full,
  // [count, time, detail]: errors and warnings of the server's own flow controller, of one kind; the first, its words.
  server_trouble,
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

APF_API const char* to_string(RemarkKind kind);  // "clock-guessed"; never changes

// What there is to say of a release that is newer than the newest one that is out.
APF_API std::vector<Remark> release_remarks(KubeVersion release);

}  // namespace apf
