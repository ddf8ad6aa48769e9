// The result of one replay of a sweep, and its line in a partial result.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <apf/sweep.h>

namespace apf {

// What a log says of itself, the same in all of its cells.
struct CellLog {
  std::string name;
  std::uint64_t bytes = 0, requests = 0, unusable = 0;
  std::uint64_t digest = 0;      // as LogReport::digest
  std::vector<Remark> warnings;  // what it is not whole or empty by, and repeated events
  bool operator==(const CellLog&) const = default;
};

struct SweepCell {
  std::uint64_t number = 0;  // by log, combination, seed
  CellLog log;
  struct Level {
    std::string name;
    bool exempt = false;
    RequestTally tally;
  };
  struct Replay {
    RequestTally total;
    std::vector<Level> levels;
    SweepStages stages;
  };
  // Two where the log leaves waits open: the second with recorded ends. Or where it leaves open whether clients wait.
  std::vector<Replay> replays;
  bool clients_open = false;  // the second one is for that
  // Of the replay without jitter: why the log contradicts it; empty where it does not, or where nothing was compared.
  std::vector<Remark> contradiction;
  bool agrees = false;         // something was compared, and the log does not contradict it
  std::vector<Remark> unused;  // entries of the flags that are about nobody in this log
};

// What a sweep keeps of what was read of a log.
CellLog cell_log(const std::string& name, const LogReport& report);

void merge(SweepStages& into, const SweepStages& stages);

// What of a report a sweep keeps.
SweepCell::Replay cell_replay(const ReplayReport& report);

// One line, without the newline.
std::string write_cell(const SweepCell& cell);
// Throws Error, in a few words, for what is no such line.
SweepCell read_cell(std::string_view line);

}  // namespace apf
