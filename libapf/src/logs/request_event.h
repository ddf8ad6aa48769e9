// One event of a request as far as putting it in order and joining it with the request's other events goes: times,
// numbers and marks, no text. A reader of logs adds what it needs: replay/prepare/prepared.h, logs/trace_maker.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <apf/classify.h>
#include <apf/time.h>

#include "base/hash.h"
#include "logs/log_event.h"

namespace apf {

// Why a logged request never reaches API Priority and Fairness.
enum class LeftOut : std::uint8_t {
  no,
  unauthenticated,  // 401
  invalid_timeout,  // 400: ?timeout= is no duration
  shutting_down,    // the server stops: its answer comes before
  long_running,     // long-running other than watch: served outside
  bad_uri,          // the request target does not parse
  standing_watch,   // a watch that began before the log does: it holds no seats any more
  unclassified,     // neither its user nor its FlowSchema is known
  abandoned,        // an event that its sender did not send
  further_attempt,  // at a request that was refused in the log, and is not in the replay
  kCount,
};
const char* to_string(LeftOut reason);

struct AuditId {
  std::uint64_t high = 0, low = 0;  // both 0: none
  bool is_uuid = false;             // high and low are the UUID's bytes; else a 128-bit hash of the text
  bool none() const { return high == 0 && low == 0; }
  bool operator==(const AuditId& other) const { return high == other.high && low == other.low; }
};
inline std::uint64_t short_id(const AuditId& id) {
  return mix64(id.high ^ 0x9e3779b97f4a7c15ULL, id.low ^ 0xe7037ed1a0b428dbULL);
}
// The same number for the same text.
inline AuditId hashed_id(std::string_view text) {
  if (text.empty()) return {};
  return {hash_bytes(text) | 1, hash_bytes(text, 7), false};
}

// Where the log says a request went. HTTP lines cut names at 64 bytes.
struct RecordedPlace {
  std::string flow_schema, priority_level;
};

// Apart, so that they can be kept and taken over at once.
struct RequestMarks {
  bool has_fixed_seats : 1 = false;
  bool watch : 1 = false;
  bool trace : 1 = false;
  bool recorded_refusal : 1 = false;  // the log's 429 was this filter's
  bool http : 1 = false;              // from a line of the HTTP log, which says nothing of users
  bool derived_wait : 1 = false;      // queue_wait is what is left of the total without the execution
  bool hung_up : 1 = false;           // the client left while the request was waiting
  bool unplaced : 1 = false;          // neither its user nor its FlowSchema is known
};

struct RequestEvent : RequestMarks {
  AnswerCause cause = AnswerCause::none;  // of an answer that is an error
  std::uint32_t target = 0;               // of the verb and the URI: those of other requests have it by accident only
  Nanos received = 0;                     // arrival
  Nanos stage_time = kNoTime;             // end of the stage
  Nanos queue_wait = kNoTime;             // recorded
  Nanos execution = kNoTime;              // exact (trace lines; for a watch its initialization)
  Nanos watch_end = kNoTime;              // exact (trace lines)
  Nanos wait_limit = 0;                   // how long it may queue
  AuditId id;
  std::uint32_t note = 0;      // 1 + index into the batch's notes: this is no request; 0 = it is one
  std::uint32_t recorded = 0;  // 1 + number of the RecordedPlace the log names; 0 = it names none
  WorkEstimate fixed;          // has_fixed_seats
  std::uint16_t code = 0;
  Stage stage = Stage::response_complete;
  LeftOut left_out = LeftOut::no;

  // When the log was written at.
  Nanos written() const { return trace || stage_time == kNoTime ? received : stage_time; }
};

// A trace line without a status records nothing but what it says it does.
inline bool is_by_hand(const RequestEvent& event) { return event.trace && event.code == 0; }

// Moves arrival and end by up to `most` each, evenly; the same way for the same seed and request.
void shake(RequestEvent& event, Nanos most, std::uint64_t seed);

}  // namespace apf
