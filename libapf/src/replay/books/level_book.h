// Seats of each priority level over time: in use, limits, borrowed and lent, and how long its requests wait.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "replay/books/live_request.h"
#include "replay/books/run_context.h"
#include "replay/books/tally.h"

namespace apf {

class LevelBook {
 public:
  void begin(const RunTime& time) { time_ = &time; }
  void on_enqueue(Nanos now, const LiveRequest& request) {
    if (request.queued) level(request.level).waiting.set(now, ++level(request.level).waiting_now > 0);
  }
  void on_dispatch(Nanos now, const LiveRequest& request) {
    add_seats(now, request.level, request.seats);
    if (request.list_bytes > 0) add_bytes(now, request.level, static_cast<double>(request.list_bytes));
    stop_waiting(now, request);
  }
  void on_release(Nanos now, const LiveRequest& request) {
    add_seats(now, request.level, -request.seats);
    if (request.list_bytes > 0) add_bytes(now, request.level, -static_cast<double>(request.list_bytes));
  }
  void on_refuse(Nanos now, const LiveRequest& request) { stop_waiting(now, request); }
  void on_round(const Round& round);

  // The levels of the controller as of `now`. `has_limits`: the levels are more than where requests would have gone.
  void fill(ReplayReport& report, const Controller& controller, const std::map<std::string, RequestTally>& tallies,
            Nanos now, bool has_limits);

 private:
  struct Level {
    TimeAverage seats, current, borrowed, lent, list_bytes, waiting;  // waiting: 1 while a request waits
    int seats_now = 0, waiting_now = 0;
    int nominal_cl = 0, min_cl = 0, max_cl = 0;
  };
  Level& level(LevelId id) { return id < levels_.size() ? levels_[id] : add_level(id); }
  Level& add_level(LevelId id);
  void add_seats(Nanos now, LevelId id, int seats) {
    Level& l = level(id);
    l.seats_now += seats;
    l.seats.set(now, l.seats_now);
  }
  void stop_waiting(Nanos now, const LiveRequest& request) {
    if (request.queued) level(request.level).waiting.set(now, --level(request.level).waiting_now > 0);
  }
  void add_bytes(Nanos now, LevelId id, double bytes) {
    TimeAverage& in_flight = level(id).list_bytes;
    in_flight.set(now, in_flight.value() + bytes);
  }
  void fill(LevelReport& report, LevelId id, const LevelLimits& limits, Nanos now);

  const RunTime* time_ = nullptr;
  std::vector<Level> levels_;  // by id
};

}  // namespace apf
