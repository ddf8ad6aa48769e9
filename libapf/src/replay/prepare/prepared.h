// What one log event comes down to for scheduling: numbers only, no text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "schedule/seats.h"

#include "logs/event_batch.h"
#include "logs/event_list.h"
#include "logs/joined.h"
#include "logs/request_event.h"
#include "logs/selection.h"
#include "logs/write_counters.h"
#include "replay/prepare/attributes.h"
#include "replay/prepare/requester.h"

namespace apf {

// A number that names a flow within one worker; what it means travels once, in FlowDefinition.
using LocalFlow = std::uint32_t;

// For each configuration of the run: the schema chosen and the flow's distinguisher there.
struct FlowDefinition {
  struct Choice {
    std::uint32_t schema = 0;  // index into that classifier's schemas()
    bool missing = false;      // the log names a FlowSchema that this configuration does not have
    std::string distinguisher;
  };
  std::vector<Choice> choices;
  std::string user;     // of a shape whose flows are parted by user: see ShapeClasses
  bool filled = false;  // of requests that the log does not hold
  // Set where requests are to be classified again: then flows are apart that differ for any configuration.
  std::shared_ptr<const struct RequestShape> shape;
};

// Apart, so that they can be kept and taken over at once.
struct PreparedMarks {
  bool mutating : 1 = false;    // neither get nor list nor watch
  bool masters : 1 = false;     // of a user in system:masters
  bool learned : 1 = false;     // `execution` is final: see FirstPass
  bool at_cap : 1 = false;      // as many seats as the recorded configuration allowed: it may need more
  bool comes_back : 1 = false;  // its retries in the log are left out: its client retries when it is refused here
  bool filled : 1 = false;      // the log does not hold it: see FillPlan
  bool repeated : 1 = false;    // its client sends it once more: see ClientModels
  bool fixed_flow : 1 = false;  // `flow` is where the log says it went, because its user is not known
};

struct PreparedEvent : RequestEvent, PreparedMarks {
  std::uint32_t text_id = 0;  // 1 + index into the batch's texts when the id is no UUID; 0 = none
  LocalFlow flow = 0;
  std::uint32_t requester = 0;  // the worker's number of who sends
  std::uint32_t agent = 0;      // the worker's number of the user agent
  // In joined replays 1 + index into the batch's senders, afterwards the run's number of a held one (HTTP lines).
  // 0 = none.
  std::uint32_t sender = 0;
  // Hash of verb, group and resource: requests that have it in common take about as long.
  std::uint32_t service = 0;
  // SeatKind::list: the estimate before clamping; with several rules of seats, or object counts of several times, the
  // number of the list of estimates, one for each (those of the first rules first).
  int list_seats = 1;
  std::uint32_t one_seat = 0;  // bits of the rules by which it takes one seat, whatever its kind is by others
  // 1 + index into the batch's attributes, afterwards the run's number of held ones: what the stages inside the handler
  // look at. 0 = none, or no such stage is on.
  std::uint32_t attributes = 0;
  // How long its context lasts at most: it leaves its queue then, where the release has no exact wait limit.
  Nanos deadline = 0;
  Nanos watch_timeout = 0;     // of a watch: its ?timeoutSeconds; 0: none
  std::uint32_t endpoint = 0;  // 1 + the worker's number, afterwards the run's, of its Endpoint; 0: nobody asks
  std::uint64_t place = 0;     // its number in order of time: see FirstPass
  InterestedKeys keys;         // SeatKind::mutating
  WatchKey watch_key = 0;      // registers a watch when not 0
  SeatKind seat_kind = SeatKind::one;
  std::uint8_t traits = 0;  // TrafficTraits: see logs/completeness.h
  std::uint16_t copy = 0;   // of a request of the log, which is 0: see LoadScaler
};

using JoinedEvent = Joined<PreparedEvent>;

// How kube-apiserver's metrics of requests name what a request is for: their labels.
struct Endpoint {
  std::string verb;  // "LIST"
  std::string group, version, resource, subresource, scope;
};

// Who sent a request, as far as joining two logs takes it.
struct Sender {
  std::uint64_t client = 0;  // hash of source address and user agent
  std::uint32_t user = 0;    // audit events: 1 + the worker's number of the user; 0 = none
  std::string request;       // HTTP lines: "METHOD URI"
};

// The events of one chunk.
struct PreparedBatch : EventBatch {
  EventList<PreparedEvent> events;
  std::uint32_t page = 0;  // of the events: see HeldEvents
  // What is new in this batch, numbered on from the worker's last one.
  std::vector<FlowDefinition> new_flows;
  std::vector<RecordedPlace> new_places;
  std::vector<std::vector<int>> new_lists;  // see PreparedEvent::list_seats
  std::vector<std::string> new_users;       // raw as LogEvent has them (joined replays)
  std::vector<Requester> new_requesters;
  // With PrepareContext::keeps_names: requesters by their users alone, and the worker's number of that one for each of
  // `new_requesters`.
  std::vector<Requester> new_names;
  std::vector<std::uint32_t> names_of_new_requesters;
  std::vector<std::string> new_agents;
  std::vector<Endpoint> new_endpoints;
  std::vector<std::string> texts;  // ids that are no UUIDs
  std::vector<Sender> senders;     // the first `sender_count` count; the others keep their memory
  std::size_t sender_count = 0;
  std::vector<AdmissionAttributes> attributes;  // the first `attribute_count` count; the others keep their memory
  std::size_t attribute_count = 0;
  VerbBits verbs = 0;                 // of requests that a server recorded
  std::vector<WriteCounters> writes;  // that the server made, in the order of the text
  std::uint32_t worker = 0;
};

}  // namespace apf
