// What one request of a log counts for: its names as numbers, and what became of it.
#pragma once

#include <cstdint>

#include <apf/logs.h>

#include "classify/request_view.h"
#include "summary/names.h"

namespace apf {

// What follows from what a user asks, but for the name of the object.
struct AskedFacts {
  std::uint32_t user = 0;
  std::uint32_t verb = 0, resource = 0, request = 0;  // request: verb and resource
  std::uint32_t ns = 0;                               // where it is asked for
  std::uint64_t selectors = 0;                        // a hash; 0: it has none
  bool limited = false;                               // by API Priority and Fairness or max-in-flight
  bool mutating = false;
  bool watch = false, lists = false;
  bool is_resource = false, named = false, whole_resource = false;
  bool unpaged = false, whole = false;  // all that there is, and all from storage
  bool heartbeat = false;               // a lease or an event
};

struct RequestFacts : AskedFacts {
  std::uint32_t impersonator = 0, agent = 0, address = 0;
  std::uint32_t schema = 0, level = 0;
  std::uint32_t about = 0;  // what failed or denied it: see LogAnswers
  std::uint64_t path = 0;   // a hash, with the verb
  Nanos arrival = 0;
  std::optional<Nanos> duration = {};  // from arrival to the end; of a watch, its life
  std::optional<Nanos> answered = {};  // of a refused one: when
  double seat_seconds = 0;
  bool seats_recorded = false;
  bool run_unknown = false;  // whether it ran, and so held seats, is not in the log
  bool refused = false;      // see LogTally
};

// The names of a log, by dimension.
struct LogNames {
  Names users, agents, addresses, verbs, resources, requests, namespaces, schemas, levels, abouts;
};

}  // namespace apf
