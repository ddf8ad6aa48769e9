// The replays that make a range: the log as it is, and the same with what it leaves open otherwise.
#pragma once

#include <vector>

#include <apf/replay.h>

namespace apf {

// `first` is the replay of `options`. The first variant is that one; options.spread counts the others.
std::vector<ReplayOptions> variants_of(const ReplayOptions& options, const ReplayReport& first);

// `options` at a multiple of their load. `clients`: of theirs alone; empty: of all.
void multiply(ReplayOptions& options, const std::vector<std::string>& clients, double multiple);
// The same of how long requests run.
void slow_down(ReplayOptions& options, const std::vector<std::string>& clients, double multiple);

}  // namespace apf
