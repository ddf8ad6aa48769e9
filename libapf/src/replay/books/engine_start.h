// What a replay finds out before the first request arrives: when the server started, and what requests cost beside
// their handlers.
#pragma once

#include <cstdint>

#include <apf/time.h>

namespace apf {

struct EngineStart {
  enum class Known : std::uint8_t { given, logged, grid, fitted, guessed } known = Known::guessed;
  Nanos start = 0;                 // the flow controller's first adjustment
  Nanos overhead = 0;              // how long a request keeps its seats after its handler has returned
  bool recorded = false;           // by a server, not written by hand: then statuses of FlowSchemas are written, too
  std::uint64_t fitted_waits = 0;  // Known::fitted: how many recorded waits were compared
};

}  // namespace apf
