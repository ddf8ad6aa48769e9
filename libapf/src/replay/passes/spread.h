// --spread: the same replay a few times more, arrivals and ends moved by a millisecond or less. Under overload single
// waits follow from such chances; how far what is reported depends on them is part of the report.
#pragma once

#include <apf/replay.h>

namespace apf {

class OneReading;

inline constexpr Nanos kUsualJitter = kMillisecond;

// Throws Error when a log cannot be read again. `what`: needs that, as "a spread".
void check_can_be_read_again(const ReplayOptions& options, const char* what);

// The log was written by a server that need not be the one that is replayed: nothing says when that one starts.
bool clock_is_open(const ReplayOptions& options, const ReplayReport& report);
// What the ranges cover besides.
void widen(Spread& spread, const ReplayReport& report);
// Makes `options` those of further replay `number` (1 … runs) of a spread; `sweeps`: its clock is in another phase.
void vary(ReplayOptions& options, int number, int runs, bool sweeps);

// Of a log that was written under the replayed configuration, as far as one knows: Run does it where it was another
// one. Replays options.spread times and adds the ranges to the report of the replay without jitter. Nothing but the
// report is made of them. `log`: if it is read once; else null.
void add_spread(const ReplayOptions& options, ReplayReport& report, const OneReading* log);

}  // namespace apf
