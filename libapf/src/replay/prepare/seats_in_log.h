// How many seats of a level its requests took by the log alone, while one of them was refused or waited to be: all
// there were.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "replay/prepare/prepared.h"

namespace apf {

class SeatsInLog {
 public:
  // In order of arrival.
  void arrive(const PreparedEvent& event) {
    if (event.recorded_refusal) {
      if (event.stage_time != kNoTime) refused_until_ = std::max(refused_until_, event.stage_time);
      look(event.received);
    } else if (event.stage_time != kNoTime && !event.watch) {
      add(event);
      if (event.received < refused_until_) look(event.received);
    }
  }
  std::optional<int> most_while_refusing() const { return most_; }

 private:
  struct Running {
    Nanos begin = 0, end = 0;
    int seats = 1;
  };
  // Where the log does not record a wait, the request is taken to run from its arrival on.
  void add(const PreparedEvent& event) {
    const Nanos wait = event.queue_wait == kNoTime ? 0 : event.queue_wait;
    running_.push_back({event.received + wait, event.stage_time,
                        event.has_fixed_seats ? static_cast<int>(event.fixed.initial_seats) : 1});
    if (running_.size() >= most_kept_) drop_ended(event.received);
  }
  void drop_ended(Nanos now);
  void look(Nanos now);

  std::vector<Running> running_;  // those that have ended are dropped now and then
  std::size_t most_kept_ = 1024;
  Nanos refused_until_ = kNoTime;  // the end of the last wait that ended in a refusal
  std::optional<Nanos> looked_;
  std::optional<int> most_;
};

}  // namespace apf
