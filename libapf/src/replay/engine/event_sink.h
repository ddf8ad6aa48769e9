// Who takes the events of a log in the order in which an engine would take them: see PreparedLog.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "replay/books/engine_start.h"
#include "replay/engine/request_source.h"
#include "replay/prepare/run_numbers.h"
#include "replay/prepare/server_clock.h"

namespace apf {

class EventSink {
 public:
  virtual ~EventSink() = default;
  // A watch that began before the log.
  virtual void add_standing_watch(WatchKey key, Nanos end) = 0;
  virtual void take(Nanos now, const JoinedEvent& joined) = 0;
  // The log is read again, from its beginning: what was taken is void.
  virtual void begin_again() = 0;
  // What the numbers of the events mean, and what the log says of its server. It lives as long as the call.
  struct Log {
    const RequestSource::Shapes& shapes;
    const NumberTables& numbers;
    const ServerClock& clock;
    // With ReplayOptions::recorded: how the replay under that configuration began, and the last arrival.
    const EngineStart* first = nullptr;
    Nanos end = INT64_MIN;
  };
  virtual void finish(const Log& log) = 0;
};

// Reads the logs of `options`, with ReplayOptions::recorded under that configuration, and replays nothing else. The
// report says what was read.
ReplayReport read_into(const ReplayOptions& options, EventSink& sink);
// The same of what was read already.
ReplayReport read_into(const ReplayOptions& options, EventSink& sink, std::unique_ptr<RequestSource> source);

}  // namespace apf
