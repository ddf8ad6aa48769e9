// Headroom: how many times the load of a log a configuration bears, until requests wait and until they are refused,
// and what gives way first.
//
//   apf::HeadroomOptions options;
//   options.replay.logs = {"audit.log"};
//   options.replay.config = apf::bootstrap_config(apf::kNewestKubeVersion);
//   const apf::HeadroomReport report = apf::find_headroom(options);
//   for (const apf::HeadroomLevel& level : report.levels)
//     if (level.refuses_at.value) std::printf("%s: %g\n", level.name.c_str(), *level.refuses_at.value);
//
// The log is read once and replayed often, on all processors; the answer is the same for any number of them. Multiples
// of the load are those of LoadScale.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <apf/replay.h>

namespace apf {

struct HeadroomOptions {
  // The log, the configuration and the server. `spread`: how many replays besides make the ranges. `scales` hold at a
  // multiple of 1.
  ReplayOptions replay;
  // Whose load is multiplied, as LoadScale::user; empty: that of all clients.
  std::vector<std::string> clients;
  double most = 10, least = 0.1;          // multiples that are tried; least ≤ 1 ≤ most ≤ 1,000
  Nanos wait_bound = 100 * kMillisecond;  // a level waits if the p99 of its waits is above that
  std::uint64_t memory = UINT64_MAX;      // bytes for the log; the rest goes to a temporary file
  std::function<void(std::uint64_t replays, double multiple)> progress;  // from any thread, one at a time
};

// The least multiple of the load at which something happens: in the replay of the log, in any of its spread, in all.
// Nothing: not up to the largest multiple.
struct HeadroomFigure {
  std::optional<double> value, low, high;
};

// What may give way. Each is tried alone, at the multiple at which the level begins to suffer: does it suffer still?
enum class HeadroomLimit : std::uint8_t { shares, seats, borrowing, queue_length, queues };
struct HeadroomTrial {
  HeadroomLimit limit = HeadroomLimit::shares;
  int from = 0, to = 0;  // shares, seats, percent (to: -1, no limit), requests, queues
  bool helps = false;
};

struct HeadroomLevel {
  std::string name;
  std::uint64_t requests = 0;  // at a multiple of 1
  HeadroomFigure waits_at, refuses_at;
  // Of the flow that suffers most where the level begins to suffer; empty: it does not.
  std::string flow_schema, distinguisher;
  int nominal_seats = 0, most_seats = 0;  // its limits without and with borrowing
  bool refuses_first = false;             // the trials are about refusals
  std::vector<HeadroomTrial> trials;      // of levels that suffer at some multiple
};

// How the levels fare at one multiple.
struct HeadroomPoint {
  double multiple = 1;
  struct Level {
    std::uint64_t requests = 0;
    std::uint64_t rejected = 0, rejected_low = 0, rejected_high = 0;
    Nanos p99 = 0, p99_low = 0, p99_high = 0;
  };
  std::vector<Level> levels;  // as HeadroomReport::levels
};

struct HeadroomReport {
  ReplayReport log;                  // what was read, and the assumptions of the replay at a multiple of 1
  std::vector<std::string> clients;  // as in the options
  double most = 10, least = 0.1;
  Nanos wait_bound = 0;
  std::vector<HeadroomLevel> levels;  // limited ones with requests, by name
  std::vector<HeadroomPoint> points;  // those that were tried, by multiple
  std::uint64_t replays = 0;
  int variants = 1;  // replays of each multiple
  bool interrupted = false;
};

// Throws Error as replay() does.
APF_API HeadroomReport find_headroom(const HeadroomOptions& options);

}  // namespace apf
