// What joining hands on, in order of time: requests, and the ends of watches.
#pragma once

#include <cstdint>

namespace apf {

template <class Event>
struct Joined {
  enum class Kind : std::uint8_t { request, watch_end, taken_back } kind = Kind::request;
  bool unfinished = false;  // the log does not say how it ended
  std::uint32_t page = 0;   // see HeldEvents
  Event event;              // watch_end: only id and stage_time mean something
  std::uint64_t seq = 0;    // requests: position in the input
};

}  // namespace apf
