// What may be changed so that goals are met, and how far.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/trials.h"

namespace apf {

// A field that may be changed step by step; or a level with so many shares.
struct Lever {
  SuggestChange change;
  std::vector<int> values;          // of `to`, from the smallest change to the largest
  std::vector<std::size_t> probes;  // where to look first: a doubling apart, the last included
  bool is_choice = false;           // each value is as large a change as the others
  SuggestChange at(std::size_t index) const;
};

// The users that are at fault, by WhyReport; nodes and the service accounts of a namespace end with `*`. `asked_for`:
// see Trials::why().
std::vector<std::string> culprits_of(Trials& trials, bool asked_for);

// `fixed`: levels that there are anyway.
std::vector<Lever> find_levers(Trials& trials, const Plan& fixed, int most_seats);
// The server's seats, up to `most`.
Lever seats_lever(const ReplayOptions& base, int most);
// The shares of a level that isolates its client.
Lever isolation_lever(const SuggestChange& level);

}  // namespace apf
