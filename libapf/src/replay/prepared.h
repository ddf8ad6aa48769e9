// What one log event comes down to before the stages of a request are joined: numbers only, no text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <apf/seats.h>

#include "replay/log_event.h"

namespace apf {

// Why a request that the log tells of never reaches API Priority and Fairness.
enum class LeftOut : std::uint8_t {
  no,
  unauthenticated,  // 401
  invalid_timeout,  // 400: ?timeout= is no duration
  long_running,     // long-running other than watch: served outside
  bad_uri,          // the request target does not parse
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

struct PreparedEvent {
  Nanos received = 0;           // arrival
  Nanos stage_time = kNoTime;   // end of the stage
  Nanos queue_wait = kNoTime;   // recorded
  Nanos execution = kNoTime;    // exact (trace lines; for a watch its initialization)
  Nanos watch_end = kNoTime;    // exact (trace lines)
  Nanos wait_limit = 0;         // how long it may queue
  AuditId id;
  std::uint32_t text_id = 0;    // 1 + index into the batch's texts when the id is no UUID; 0 = none
  LocalFlow flow = 0;
  std::uint32_t service_key = 0;  // hash of (verb, group, resource): whose service times this request's resembles
  int list_seats = 1;           // SeatKind::list: estimate before clamping; fixed seats: initial seats
  InterestedKeys keys;          // SeatKind::mutating
  WatchKey watch_key = 0;       // registers a watch when not 0
  WorkEstimate fixed;           // has_fixed_seats
  std::uint16_t code = 0;
  Stage stage = Stage::response_complete;
  LeftOut left_out = LeftOut::no;
  SeatKind seat_kind = SeatKind::one;
  bool has_fixed_seats = false;
  bool watch = false;
  bool read_only = false;       // get, list or watch
  bool trace = false;
  bool recorded_refusal = false;  // the log's 429 was this filter's
};

// The events of one chunk.
struct PreparedBatch {
  std::vector<PreparedEvent> events;
  std::vector<FlowDefinition> new_flows;  // first used in this batch, numbered on from the worker's last one
  std::vector<std::string> texts;         // ids that are no UUIDs
  std::uint64_t unusable[static_cast<int>(Unusable::kCount)] = {};
  std::uint64_t first_unusable_line[static_cast<int>(Unusable::kCount)] = {};
  std::uint64_t lines = 0;
  std::uint32_t file = 0;
  std::uint32_t worker = 0;
};

}  // namespace apf
