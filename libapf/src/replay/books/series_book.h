// Curves over time: a fixed number of bins that double their width whenever the run outgrows them, so that memory does
// not depend on the log and the result not on who reads it.
#pragma once

#include <vector>

#include <apf/replay.h>

#include "replay/books/run_observer.h"

namespace apf {

inline constexpr std::size_t kSeriesBins = 512;
// 2^-9 s: doubling it comes to whole seconds.
inline constexpr Nanos kNarrowestBin = kSecond / 512;

class SeriesBook final : public RunObserver {
 public:
  void on_begin(Controller& controller, Nanos first_arrival) override;
  void on_arrive(Nanos now, const LiveRequest& request, std::int64_t watches) override;
  void on_dispatch(Nanos now, const LiveRequest& request) override;
  void on_release(Nanos now, const LiveRequest& request) override;
  void on_refuse(Nanos now, const LiveRequest& request, Outcome outcome) override;
  void on_round(const Round& round) override;

  ReplaySeries series();

 private:
  struct Level {
    Nanos last = 0;  // accounted for up to here
    double seats = 0, limit = 0, nominal = 0, waiting = 0;
    std::vector<SeriesBin> bins;  // seats, limit, nominal, waiting: integrals over seconds
  };
  Level& level(LevelId id);
  std::size_t place(Nanos now);
  SeriesBin& bin(Level& l, Nanos now) { return l.bins[place(now)]; }
  void account(Level& l, Nanos now);
  void note_wait(SeriesBin& b, Nanos wait);

  Controller* controller_ = nullptr;
  Nanos begin_ = 0, width_ = kNarrowestBin, now_ = 0;
  std::vector<Level> levels_;  // by id
};

}  // namespace apf
