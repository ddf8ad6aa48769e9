// Seats of each priority level over time: in use, limits, borrowed and lent.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "replay/live_request.h"
#include "replay/run_context.h"
#include "replay/tally.h"

namespace apf {

class LevelBook {
 public:
  void begin(const RunTime& time) { time_ = &time; }
  void on_dispatch(Nanos now, const LiveRequest& request) { add_seats(now, request.level, request.seats); }
  void on_release(Nanos now, const LiveRequest& request) { add_seats(now, request.level, -request.seats); }
  void on_round(const Round& round);

  // The levels of the controller as of `now`. `has_limits`: the levels are more than where requests would have gone.
  std::vector<LevelReport> levels(const Controller& controller, const std::map<std::string, RequestTally>& tallies,
                                  Nanos now, bool has_limits);

 private:
  struct Level {
    TimeAverage seats, current, borrowed, lent;
    int seats_now = 0;
    int nominal_cl = 0, min_cl = 0, max_cl = 0;
  };
  Level& level(LevelId id) { return id < levels_.size() ? levels_[id] : add_level(id); }
  Level& add_level(LevelId id);
  void add_seats(Nanos now, LevelId id, int seats) {
    Level& l = level(id);
    l.seats_now += seats;
    l.seats.set(now, l.seats_now);
  }
  void fill(LevelReport& report, Level& level, const LevelLimits& limits, Nanos now) const;

  const RunTime* time_ = nullptr;
  std::vector<Level> levels_;  // by id
};

}  // namespace apf
