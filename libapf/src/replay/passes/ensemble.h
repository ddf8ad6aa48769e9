// The replays of one log that a report is of. A log leaves things open: how long requests ran that waited (an
// assumption), when the 10 s clock of another server ticks, and under overload a millisecond may decide (chance). What
// a report's ranges cover is told here: which replays there are beside the first, and how far they lie from each other.
// CentralRun says which of those that differ by chance is shown.
#pragma once

#include <vector>

#include <apf/replay.h>

namespace apf {

class Recording;

// Arrivals and ends are moved by up to that, unless the options say otherwise.
inline constexpr Nanos kUsualJitter = kMillisecond;

// Throws Error when a log cannot be read again. `what`: needs that, as "a spread".
void check_can_be_read_again(const ReplayOptions& options, const char* what);

// The log was written by a server that need not be the one that is replayed: nothing says when that one starts.
bool clock_is_open(const ReplayOptions& options, const ReplayReport& report);
// Makes `options` those of further replay `number` (1 … runs); `sweeps`: its clock is in another phase.
void vary(ReplayOptions& options, int number, int runs, bool sweeps);
// `first` is the replay of `options`. The first variant is that one, then comes the same under the other assumption, if
// the log leaves open which is right; options.spread counts the pairs, or single ones, that follow.
std::vector<ReplayOptions> variants_of(const ReplayOptions& options, const ReplayReport& first, bool sweeps);
// What the ranges cover besides.
void widen(Spread& spread, const ReplayReport& report);

// Adds the replay of every request until its recorded end to `report.others`. `log`: null, if it must be read again.
void add_recorded_ends(const ReplayOptions& options, ReplayReport& report, const Recording* log);
// Of a log that was written under the replayed configuration, as far as one knows: SecondPasses does it where it was
// another one. Replays options.spread times, with jitter, and adds the ranges to the report of the replay without.
// Nothing but the report is made of them. `log`: as above.
void add_spread(const ReplayOptions& options, ReplayReport& report, const Recording* log);

}  // namespace apf
