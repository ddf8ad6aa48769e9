// What joining hands on, in order of time: requests, and the ends of watches.
#pragma once

#include <cstdint>

namespace apf {

template <class Event>
struct Joined {
  enum class Kind : std::uint8_t { request, watch_end } kind = Kind::request;
  Event event;              // watch_end: only id and stage_time mean something
  std::uint64_t seq = 0;    // requests: position in the input
  bool unfinished = false;  // the log does not say how it ended
};

}  // namespace apf
