// When requests took longer than at other times of a log.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "replay/passes/prepared_log.h"

namespace apf {

struct SlowPart {
  struct Stretch {
    Nanos from = 0, last = 0, to = 0;          // the first and the last slow execution began, the last one ended
    std::map<std::uint32_t, double> times_of;  // as long as outside, by PreparedEvent::service
  };
  std::vector<Stretch> stretches;  // in order of time
  double times = 1;                // as long as outside
  std::string request;             // what took longer: "patch pods", "requests for pods"; empty: all of all levels
  std::vector<bool> flows;         // that took longer; empty: all
  std::vector<SlowPart> others;    // of other flows, that are meant as well

  const Stretch* at(Nanos began) const;        // null: outside
  std::vector<Stretch> all_stretches() const;  // with those of the others
  // How many times as long the execution took.
  double times_of(const PreparedEvent& event) const;
};
// When its execution began, as far as the log shows it.
Nanos began(const PreparedEvent& event);
// All but the first: "again from 10:01:10 to 10:01:37"; empty: there is one.
std::string times_again(const std::vector<SlowPart::Stretch>& stretches);
// All requests first, then kinds of requests of several users, those with the most work first, and the
// kinds together.
std::vector<SlowPart> find_slow_parts(const PreparedLog& log, const ReplayOptions& options,
                                      const PreparedLog::Experiment& covers);

}  // namespace apf
