// What one log event comes down to before the stages of a request are joined: numbers only, no text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <apf/seats.h>

#include "base/hash.h"
#include "logs/attributes.h"
#include "logs/log_event.h"
#include "logs/requester.h"

namespace apf {

// Why a request that the log tells of never reaches API Priority and Fairness.
enum class LeftOut : std::uint8_t {
  no,
  unauthenticated,  // 401
  invalid_timeout,  // 400: ?timeout= is no duration
  long_running,     // long-running other than watch: served outside
  bad_uri,          // the request target does not parse
  standing_watch,   // a watch that began before the log does: it holds no seats any more
  unclassified,     // neither its user nor its FlowSchema is known
  kCount,
};
const char* to_string(LeftOut reason);

// A number that names a flow within one worker; what it stands for travels once, in FlowDefinition.
using LocalFlow = std::uint32_t;

// For each configuration of the run: the schema chosen and the flow's distinguisher there.
struct FlowDefinition {
  struct Choice {
    std::uint32_t schema = 0;  // index into that classifier's schemas()
    bool fallback = false;
    bool missing = false;  // the log names a FlowSchema that this configuration does not have
    std::string distinguisher;
  };
  std::vector<Choice> choices;
};

struct AuditId {
  std::uint64_t high = 0, low = 0;  // both 0: none
  bool is_uuid = false;             // high and low are the UUID's bytes; else a 128-bit hash of the text
  bool none() const { return high == 0 && low == 0; }
  bool operator==(const AuditId& other) const { return high == other.high && low == other.low; }
};
inline std::uint64_t short_id(const AuditId& id) {
  return mix64(id.high ^ 0x9e3779b97f4a7c15ULL, id.low ^ 0xe7037ed1a0b428dbULL);
}

// A sentence of the server itself: ServerNote with a text of its own.
struct PreparedNote {
  ServerNote::Kind kind = ServerNote::Kind::created;
  Nanos time = 0;
  std::string level;
  std::int64_t value = 0;
};

struct PreparedEvent {
  Nanos received = 0;          // arrival
  Nanos stage_time = kNoTime;  // end of the stage
  Nanos queue_wait = kNoTime;  // recorded
  Nanos execution = kNoTime;   // exact (trace lines; for a watch its initialization)
  Nanos watch_end = kNoTime;   // exact (trace lines)
  Nanos wait_limit = 0;        // how long it may queue
  AuditId id;
  std::uint32_t text_id = 0;  // 1 + index into the batch's texts when the id is no UUID; 0 = none
  LocalFlow flow = 0;
  std::uint32_t recorded = 0;   // 1 + number of the RecordedPlace the log names; 0 = it names none
  std::uint32_t requester = 0;  // the worker's number of who sends
  // In joined replays 1 + index into the batch's senders, afterwards the run's number of a held one (HTTP lines); of a
  // note 1 + index into the batch's notes. 0 = none.
  std::uint32_t sender = 0;
  std::uint32_t service_key = 0;  // hash of (verb, group, resource): whose service times this request's resembles
  // SeatKind::list: the estimate before clamping; with object counts of several times, the number of the list of
  // estimates, one for each.
  int list_seats = 1;
  // 1 + index into the batch's attributes, afterwards the run's number of held ones: what the stages inside the handler
  // look at. 0 = none, or no such stage is on.
  std::uint32_t attributes = 0;
  InterestedKeys keys;     // SeatKind::mutating
  WatchKey watch_key = 0;  // registers a watch when not 0
  WorkEstimate fixed;      // has_fixed_seats
  std::uint16_t code = 0;
  Stage stage = Stage::response_complete;
  LeftOut left_out = LeftOut::no;
  SeatKind seat_kind = SeatKind::one;
  bool has_fixed_seats = false;
  bool watch = false;
  bool trace = false;
  bool recorded_refusal = false;  // the log's 429 was this filter's
  bool http = false;              // from a line of the HTTP log, which says nothing of users
  bool derived_wait = false;      // queue_wait is what is left of the total without the execution
  bool hung_up = false;           // the client left while the request was waiting
  bool is_note = false;           // no request at all
  bool mutating = false;          // neither get nor list nor watch
  bool masters = false;           // of a user in system:masters
  bool fixed_flow = false;        // `flow` is where the log says it went, because its user is not known

  // When the log was written at.
  Nanos written() const { return trace || stage_time == kNoTime ? received : stage_time; }
};

// Where the log says a request went. HTTP lines cut names at 64 bytes.
struct RecordedPlace {
  std::string flow_schema, priority_level;
};

// Who sent a request, as far as joining two logs takes it.
struct Sender {
  std::uint64_t client = 0;  // hash of source address and user agent
  std::uint32_t user = 0;    // audit events: 1 + the worker's number of the user; 0 = none
  std::string request;       // HTTP lines: "METHOD URI"
};

// The events of one chunk.
struct PreparedBatch {
  std::vector<PreparedEvent> events;
  std::vector<FlowDefinition> new_flows;    // first used in this batch, numbered on from the worker's last one
  std::vector<RecordedPlace> new_places;    // likewise
  std::vector<std::vector<int>> new_lists;  // likewise, see PreparedEvent::list_seats
  std::vector<std::string> new_users;       // likewise, raw as LogEvent has them (joined replays)
  std::vector<Requester> new_requesters;    // likewise
  std::vector<std::string> texts;           // ids that are no UUIDs
  std::vector<Sender> senders;              // the first `sender_count` count; the others keep their memory
  std::size_t sender_count = 0;
  std::vector<AdmissionAttributes> attributes;  // the first `attribute_count` count; the others keep their memory
  std::size_t attribute_count = 0;
  std::vector<PreparedNote> notes;
  std::uint64_t unusable[static_cast<int>(Unusable::kCount)] = {};
  std::uint64_t first_unusable_line[static_cast<int>(Unusable::kCount)] = {};
  // Which process or server wrote the events, one entry where it changes.
  std::vector<std::uint32_t> origins;
  std::uint64_t lines = 0;
  std::uint64_t other_lines = 0;     // of the server's log, which tell of no request
  std::uint64_t implied_groups = 0;  // events whose groups are what follows from the user's name
  std::uint32_t file = 0;
  std::uint32_t worker = 0;
  // When the events were written; whether any one was much before one that stands ahead of it.
  Nanos earliest = INT64_MAX, latest = INT64_MIN;
  bool falls_back = false;

  void note_time(Nanos written, Nanos window) {
    earliest = std::min(earliest, written);
    if (latest != INT64_MIN && written < latest - window) falls_back = true;
    latest = std::max(latest, written);
  }

  void note_origin(std::uint32_t origin) {
    constexpr std::size_t kMost = 1024;
    if (origin != 0 && origins.size() < kMost && (origins.empty() || origins.back() != origin))
      origins.push_back(origin);
  }
};

}  // namespace apf
