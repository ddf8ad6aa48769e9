// When requests took longer than at other times of a log.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "replay/passes/prepared_log.h"

namespace apf {

struct SlowPart {
  Nanos from = 0, last = 0, to = 0;          // the first and the last slow execution began, the last one ended
  double times = 1;                          // as long as outside
  std::map<std::uint32_t, double> times_of;  // by PreparedEvent::service
  std::string request;                       // the one kind that took longer; empty: those of all levels did

  bool holds(Nanos began) const { return began >= from && began <= last; }
};
// When its execution began, as far as the log shows it.
Nanos began(const PreparedEvent& event);
// All requests first, then the kinds of several users that have the most work.
std::vector<SlowPart> find_slow_parts(const PreparedLog& log, const ReplayOptions& options,
                                      const PreparedLog::Experiment& covers);

}  // namespace apf
