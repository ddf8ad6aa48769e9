// What a replay keeps of what follows from the user, the verb and the URI of a request alone.
#pragma once

#include <cstdint>

#include "logs/event_view.h"
#include "logs/kept_facts.h"
#include "logs/selection.h"
#include "replay/prepare/prepared.h"
#include "schedule/seats.h"

namespace apf {

struct PreparedFacts : RequestTraits {
  bool usable = false;  // false: neither URI nor RequestInfo can be read
  bool mutating = false;
  bool attributes = false;  // are wanted
  bool of_resource = false, of_event = false;
  SeatKind seat_kind = SeatKind::one;
  std::uint8_t traffic = 0;  // TrafficTraits
  VerbBits verb = 0;
  std::uint32_t one_seat = 0;  // as PreparedEvent's
  Nanos wait_limit = 0, deadline = 0;
  std::uint32_t service = 0, endpoint = 0;
  Nanos watch_timeout = 0;
  int list_seats = 1;
  LocalFlow flow = 0;
  InterestedKeys keys;  // but that of the object's name, where requests of any name share the facts
  WatchKey names = 0;   // what that one begins with
  WatchKey watch_key = 0;
};

}  // namespace apf
