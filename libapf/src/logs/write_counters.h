// What the server's answer to a write shows of all writes to its storage, also of those that are not in the log.
#pragma once

#include <cstdint>
#include <string_view>

#include "logs/log_event.h"

namespace apf {

struct WriteCounters {
  std::int64_t revision = 0;     // of the storage, as the lease that is renewed has it; 0 = not known
  std::int64_t event_count = 0;  // of an event that is written; 0 = it is none, or does not say
  std::uint64_t object = 0;      // hash of the event's name; 0 = a new one
  std::uint32_t event = 0;       // its place in the batch
};

// Whether the event is one that ends a write which the server made. `of_resource`: it is a resource request.
bool is_write_made(const LogEvent& event, bool of_resource, std::string_view verb);

// `chunk`: the text that the event was read from; objectRef and requestObject stand behind the URI, on the same line.
WriteCounters read_write_counters(const LogEvent& event, bool of_event, bool lease_update, std::string_view chunk);

}  // namespace apf
