// How a replay went over time, in bins of equal width whose number does not grow with the log.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <apf/outcome.h>
#include <apf/time.h>

namespace apf {

struct SeriesBin {
  // Averages over the bin's time, and the most that held for any time within it.
  double seats = 0, limit = 0, nominal = 0, waiting = 0;
  double seats_max = 0, waiting_max = 0;
  // What happened within it. Waits count where they end.
  std::uint64_t arrived = 0, dispatched = 0;
  OutcomeCounts refused;              // by API Priority and Fairness
  double wait_sum = 0, wait_max = 0;  // seconds; of the dispatched and of those that timed out
  std::uint64_t waits = 0;
};

struct LevelSeries {
  std::string name;
  bool exempt = false;
  std::vector<SeriesBin> bins;
};

struct ReplaySeries {
  Nanos begin = 0, width = 0;       // of the first bin; of every bin
  std::vector<LevelSeries> levels;  // by name, all with the same number of bins
};

}  // namespace apf
