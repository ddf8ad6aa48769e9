// The replay against the log's own record: where requests went, whether they were refused, how long they waited.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <apf/replay.h>

#include "replay/prepare/prepared.h"
#include "replay/prepare/run_numbers.h"
#include "replay/prepare/seats_in_log.h"
#include "replay/prepare/server_clock.h"

namespace apf {

// What was compared of the requests that arrived last, in slots of time.
class LastArrivals {
 public:
  struct Counts {
    std::uint64_t refused_log = 0, refused_replay = 0, waits = 0;
    double wait_log = 0, wait_replay = 0;  // seconds
  };
  // Of the last `length`.
  explicit LastArrivals(Nanos length) : width_(length / kSlots + 1) {}

  Counts& at(Nanos arrival);
  Counts sum(Nanos end) const;

 private:
  static constexpr std::size_t kSlots = 15;
  struct Slot {
    Nanos number = INT64_MIN;  // of those since 1970
    Counts counts;
  };
  Nanos width_;
  Slot slots_[kSlots + 1];
  Counts earlier_;
};

class Agreement {
 public:
  // `numbers` grow while the log is read. `longest_wait`: of a request in its queue.
  Agreement(const NumberTables& numbers, const std::vector<FlowReport>& flows, Nanos longest_wait)
      : numbers_(numbers), flows_(flows), longest_wait_(longest_wait), last_waits_(longest_wait) {}

  // From now on misfit() is kept, too: its memory grows with the log.
  void keep_misfit() { keeps_misfit_ = true; }

  // A request of the log arrives, in order of time.
  void arrive(const PreparedEvent& event, std::uint32_t flow) {
    if (!is_by_hand(event)) level_of(flow).seats.arrive(event);
  }
  // A request is through. `flow` = index into the flow reports; `overhead` = what a derived wait holds too much.
  void compare(const PreparedEvent& event, std::uint32_t flow, Outcome outcome, Nanos wait, Nanos overhead) {
    log_end_ = std::max(log_end_, event.stage_time);
    if (outcome == Outcome::executed && event.recorded == 0 && event.queue_wait == kNoTime && !event.recorded_refusal &&
        !event.hung_up && !is_by_hand(event))
      ++served_in_both_;
    else compare_any(event, flow, outcome, wait, overhead);
  }
  // The "Update CurrentCL" lines of the log against the limits here.
  void compare_limits(const Round& round, const ServerClock& clock, const Controller& controller);
  // The first limit of the log that the configuration does not allow: the log is of a server with another one.
  struct Contradiction {
    Nanos time = 0;
    std::string level;
    std::int64_t seats = 0;
    int least = -1, most = -1;  // that the configuration allows; -1: it has no such level
  };
  const std::optional<Contradiction>& contradiction() const { return contradiction_; }
  // How far the replayed waits are from the recorded ones over time, in seconds: to find what fits best.
  double misfit() const;

  void fill(RecordedReport& report) const;

 private:
  struct Level {
    explicit Level(Nanos longest_wait) : last(longest_wait) {}
    DurationDistribution wait_log, wait_replay;
    std::uint64_t refused_log = 0, refused_replay = 0;
    SeatsInLog seats;
    LastArrivals last;
  };
  Level& level_of(std::uint32_t flow) {
    return flow < level_of_flow_.size() && level_of_flow_[flow] ? *level_of_flow_[flow] : add_level(flow);
  }
  Level& add_level(std::uint32_t flow);
  void fill_refused_users(RecordedReport& report) const;
  void compare_any(const PreparedEvent& event, std::uint32_t flow, Outcome outcome, Nanos wait, Nanos overhead);
  void add_misfit(const PreparedEvent& event, const Level& level, Nanos recorded, Nanos wait);
  bool alike(std::uint32_t place, std::uint32_t flow) const;

  const NumberTables& numbers_;
  const std::vector<FlowReport>& flows_;
  const Nanos longest_wait_;
  Nanos log_end_ = kNoTime;
  RecordedReport counts_;
  std::uint64_t served_in_both_ = 0;  // not in counts_ yet: requests of which the log says nothing else
  double recorded_wait_sum_ = 0, replayed_wait_sum_ = 0;
  LastArrivals last_waits_;
  std::unordered_map<std::uint64_t, std::uint64_t> classified_;  // place and flow -> requests
  std::unordered_map<std::string, Level> levels_;
  std::vector<Level*> level_of_flow_;
  std::vector<std::uint64_t> refused_of_;  // by requester: refusals in the log
  // Per second of arrival and level: sum of the waits here less those in the log.
  std::unordered_map<std::uint64_t, double> fit_;
  bool keeps_misfit_ = false;
  std::uint64_t limits_compared_ = 0, limits_alike_ = 0;
  std::optional<Contradiction> contradiction_;
};

// Of several servers: what adds up.
void merge(RecordedReport& into, const RecordedReport& report);

}  // namespace apf
