// One thing a log says about one request, as views into the text it was read from.
#pragma once

#include <cstdint>
#include <string_view>

#include <apf/classify.h>
#include <apf/logs.h>
#include <apf/time.h>

namespace apf {

inline constexpr Nanos kNoTime = INT64_MIN;
inline constexpr int kTooManyRequests = 429;
inline constexpr int kGatewayTimeout = 504;  // the answer to a request that took too long

enum class Stage : std::uint8_t { received, response_started, response_complete, panic };

// Why a line, an event or a request has no place in the replay. Counted, never silently dropped.
enum class Unusable : std::uint8_t {
  not_json,     // broken JSON, stray text
  not_yaml,     // the same of what should be YAML
  not_event,    // JSON, but of another kind
  truncated,    // a line or document ends before its JSON does
  not_decoded,  // base64 or gzip within a record breaks
  nul_bytes,    // NUL bytes where a line should be
  too_long,     // line beyond the limit
  not_utf8,
  no_timestamp,    // the time when it arrived and when it ended are missing or cannot be read
  no_verb_or_uri,  // nothing to classify
  bad_field,       // a field the reader needs has the wrong type
  out_of_range,    // a time or a duration is beyond what apf/time.h admits
  kCount,
};
const char* to_string(Unusable reason);

// Strings are views into the chunk (unescaped ones into the reader's scratch) and valid during the sink's call only.
struct LogEvent {
  Stage stage = Stage::response_complete;
  bool trace = false;  // a trace line: `execution` and friends are exact, one event is one request
  // A line of the HTTP log: written once, when the request ends (stage_time = its own time, received = that less the
  // latency). `method` is the verb as logged (LIST, WATCH, APPLY, …), the user is unknown, recorded_* say where the
  // request went (cut at 64 bytes), execution, init and seats how it ran, where the server wrote them.
  bool http = false;
  bool hijacked = false;               // HTTP log: the connection was taken over (exec, attach), no code
  std::string_view id;                 // auditID; the trace line's id
  std::string_view verb;               // RequestInfo's verb, or lower-cased method; empty when `method` is set
  std::string_view method;             // upper-case HTTP method (trace lines only)
  std::string_view uri;                // request target; empty when request_info_json is set
  std::string_view request_info_json;  // trace lines that give RequestInfo instead
  // The effective (impersonated if so) user as the raw JSON text of {"username":…,"groups":[…]} for audit logs
  // or of {"user":…,"groups":[…]} re-rendered for trace lines: a key for interning, parsed once per distinct text by
  // parse_user_json (formats/audit.h). In audit logs it breaks off behind the last of the two members: `extra` is new
  // with every token of a service account. Empty: the event has no user.
  std::string_view user_json;
  // Null, or where the sink may keep what it found out about the user: 0 where it has not been asked yet. The place is
  // the same for events of the same user, whatever else user_json says.
  std::uint32_t* user_memo = nullptr;
  bool impersonated = false;
  std::string_view authenticated_json;  // as JSON, too: who impersonates; empty where nobody does
  bool other_latencies = false;         // the audit event has latencies, but no queue wait
  bool implied_groups = false;  // the log has no groups: those of user_json are what follows from the user's name
  Nanos received = kNoTime;     // arrival at the server; the stage's end where the log has nothing else. Always there
  Nanos stage_time = kNoTime;   // end of the stage; recordedEnd of a trace line
  Nanos queue_wait = kNoTime;   // annotation apf-queue-wait, or recorded.queueWait
  Nanos execution = kNoTime;    // trace: how long it runs
  Nanos init = kNoTime;         // trace: watch initialization
  Nanos watch_end = kNoTime;    // trace: instant
  Nanos wait_limit = kNoTime;   // trace: duration
  // The object that came with the request, as JSON: requestObject, or "object" of a trace line. Empty: the log does not
  // hold it. Of a patch it is the patch, unless a trace line has what became of the object.
  std::string_view object;
  std::string_view response_object;  // responseObject, in the same form
  bool has_seats = false;            // trace: `seats` overrides the estimate
  WorkEstimate seats;
  int code = 0;                           // responseStatus.code, 0 = none
  AnswerCause cause = AnswerCause::none;  // of an answer that is an error, by its texts
  std::string_view webhook;               // that failed or denied it
  bool decided = false;        // authorization, which comes behind API Priority and Fairness, let the request in
  std::string_view latencies;  // annotations of an audit event with latencies, as JSON; else empty
  std::string_view user_agent, source_ip;
  std::string_view recorded_flow_schema, recorded_priority_level;
  // Which server or process wrote it, as a hash of what the line says of that (process number, host, pod, log stream);
  // 0 = nothing.
  std::uint32_t origin = 0;
};

// When the request arrived, or the end of the stage where the log says no more; kNoTime: it says nothing.
inline Nanos arrival_of(const LogEvent& event) { return event.received != kNoTime ? event.received : event.stage_time; }

// Whether all times and durations are in the range of apf/time.h. An HTTP line's arrival follows from its latency, and
// may lie before.
inline bool is_in_range(const LogEvent& event) {
  const auto time = [](Nanos t) { return is_time_in_range(t) || t == kNoTime; };
  const auto duration = [](Nanos d) { return is_duration_in_range(d) || d == kNoTime; };
  const auto span = [&](Nanos end) {
    return end == kNoTime || event.received == kNoTime || is_duration_in_range(end - event.received);
  };
  return (event.http ? event.received >= -kLongestDuration : time(event.received)) && time(event.stage_time) &&
         time(event.watch_end) && span(event.stage_time) && span(event.watch_end) && duration(event.queue_wait) &&
         duration(event.execution) && duration(event.init) && duration(event.wait_limit) &&
         duration(event.seats.additional_latency);
}

// What kube-apiserver says of itself among the lines of its log: what sets the clock of a replay.
struct ServerNote {
  enum class Kind : std::uint8_t {
    created,      // the flow controller is made: `value` = server concurrency limit
    rebalancing,  // borrowing is adjusted for the first time, and every 10 s from then on
    current_cl,   // "Update CurrentCL": `value` = the new limit of `level`
    flag,         // it was started with: `level` = "name=value"; "name": a limit of max-in-flight, `value`
    version,      // its release: `level`
    configured,  // a level is introduced, changed or removed by a digest of the configuration; `value` = its nominal CL
    trouble,     // an error or a warning of the flow controller: `level` = its words
  };
  static constexpr std::int64_t kRemoved = -1;  // `value` of a level that is removed
  Kind kind = Kind::created;
  Nanos time = kNoTime;
  std::string_view level;
  std::int64_t value = 0;
};

// What reads a chunk calls for every event, in the order of the text. `line` counts from 1 in the file.
class LogEventSink {
 public:
  virtual ~LogEventSink() = default;
  // The start of the next event, while the rest is being read: what the sink keeps of it can come from memory
  // meanwhile. Verb and URI are as they are written, `user_memo` is what LogEvent's points to. Some events come without
  // it.
  virtual void on_start(std::string_view /*verb*/, std::string_view /*uri*/, std::uint32_t /*user_memo*/) {}
  virtual void on_event(const LogEvent& event, std::uint64_t line) = 0;
  virtual void on_unusable(Unusable reason, std::uint64_t line) = 0;
  virtual void on_note(const ServerNote&, std::uint64_t /*line*/) {}
  // A line of the server's own log without a request: no fault. (Lines with a note count here, too.)
  virtual void on_other(std::uint64_t /*line*/) {}
};

}  // namespace apf
