// Seats that are idle while requests wait or are refused: by them a bad configuration is told from too much load.
#pragma once

#include <algorithm>
#include <vector>

#include "replay/books/live_request.h"
#include "replay/books/run_context.h"

namespace apf {

// Each event costs the same however many levels there are: what all seats add up to over time is summed once, and a
// level remembers how far the sum was when its requests began to wait.
class IdleBook {
 public:
  void begin(const RunTime& time, int seats) {
    time_ = &time;
    seats_ = seats;
  }
  void on_enqueue(Nanos now, const LiveRequest& request);
  void on_dispatch(Nanos now, const LiveRequest& request) {
    if (request.queued) stop_waiting(now, request.level);
    hold(now, request.level, request.seats);
  }
  void on_release(Nanos now, const LiveRequest& request) { hold(now, request.level, -request.seats); }
  void on_refuse(Nanos now, const LiveRequest& request);
  void on_round(const Round& round, int seats);

  void fill(LevelReport& report, LevelId id, Nanos now);
  void fill(ReplayReport& report, Nanos now);

 private:
  // The sum over time of a number of seats, in seat-nanoseconds.
  struct Sum {
    Nanos last = INT64_MIN;
    double value = 0;
  };
  struct Level {
    int in_use = 0, limit = 0;
    std::uint64_t waiting = 0, refused = 0;
    Sum free;                                          // seats of its limit that it does not use
    Nanos since = 0;                                   // when its requests began to wait
    double idle_before = 0, free_before = 0;           // the sums at that time
    double waited = 0, idle = 0, own = 0;              // over all such times: nanoseconds, seat-nanoseconds
    double idle_at_refusals = 0, own_at_refusals = 0;  // seats, summed over refusals
  };
  Level& level(LevelId id) {
    if (levels_.size() <= id) levels_.resize(id + 1);
    return levels_[id];
  }
  Nanos clipped(Nanos now) const { return std::clamp(now, time_->from, time_->to); }
  void add(Sum& sum, Nanos now, int seats) const {
    const Nanos at = clipped(now);
    if (sum.last != INT64_MIN && seats > 0)
      sum.value += static_cast<double>(seats) * static_cast<double>(at - sum.last);
    sum.last = at;
  }
  void advance(Nanos now);
  void advance(Level& level, Nanos now) const { add(level.free, now, level.limit - level.in_use); }
  void hold(Nanos now, LevelId id, int seats) {
    Level& l = level(id);
    advance(now);
    advance(l, now);
    l.in_use += seats;
    in_use_ += seats;
  }
  void stop_waiting(Nanos now, LevelId id);
  void begin_wait(Level& level, Nanos now);
  void end_wait(Level& level, Nanos now);
  void end_full(Nanos now);

  const RunTime* time_ = nullptr;
  int seats_ = 0, in_use_ = 0;
  Sum idle_;
  Nanos full_since_ = INT64_MIN;  // INT64_MIN: seats are idle
  double full_ = 0, longest_full_ = 0;
  std::vector<Level> levels_;  // by id
};

inline void IdleBook::advance(Nanos now) {
  add(idle_, now, seats_ - in_use_);
  const bool full = in_use_ >= seats_;
  if (full && full_since_ == INT64_MIN) full_since_ = clipped(now);
  if (!full && full_since_ != INT64_MIN) end_full(now);
}

}  // namespace apf
