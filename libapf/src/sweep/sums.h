// Cells in their order into what they come to: log by log, and added up.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sweep/cell.h"

namespace apf {

class SweepSums {
 public:
  // `report` has its combinations, seeds and numbers of logs and replays; the rest is filled.
  SweepSums(SweepReport& report, const SweepRows& rows) : report_(report), rows_(rows) {}

  // In the order of their numbers; those of a log are of the same text. Throws Error: they do not fit together.
  void add(SweepCell&& cell);
  void finish();

 private:
  using Replays = std::vector<const SweepCell::Replay*>;  // by seed and assumption
  void finish_log();
  // The replays of one combination; nothing: not all are there.
  Replays replays_of(std::size_t combination) const;
  std::vector<SweepReport::UnusedEntry> unused_in_log() const;
  void keep_unused(const std::vector<SweepReport::UnusedEntry>& in_log);
  void sum_up(const SweepLogReport& log);
  void rank(const SweepLogReport& log);

  // Sums of one combination, by seed and assumption.
  struct Sum {
    std::vector<RequestTally> totals;
    std::vector<SweepStages> stages;
    std::map<std::string, SweepResult::Level> levels;
  };

  SweepReport& report_;
  const SweepRows& rows_;
  std::vector<SweepCell> cells_;  // of one log
  std::vector<Sum> sums_;         // by combination
};

}  // namespace apf
