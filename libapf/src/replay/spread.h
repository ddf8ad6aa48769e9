// --spread: the same replay a few times more, arrivals and ends moved by a millisecond or less. Under overload single
// waits follow from such chances; how far what is reported depends on them is part of the report.
#pragma once

#include <apf/replay.h>

namespace apf {

// Throws Error when a log cannot be read again. `what`: needs that, as "a spread".
void check_can_be_read_again(const ReplayOptions& options, const char* what);

inline constexpr Nanos kUsualJitter = kMillisecond;
// How much earlier the 10 s clock of a replay ticks, the number `run` (from 1 on) of `runs`: the phases lie evenly.
Nanos clock_shift_of(int run, int runs);

// Replays options.spread times and adds the ranges to the report of the replay without jitter. Nothing but the report
// is made of them.
void add_spread(const ReplayOptions& options, ReplayReport& report);

}  // namespace apf
