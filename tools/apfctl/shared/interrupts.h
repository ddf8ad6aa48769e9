// What signals do: nothing unfinished stays behind, and a long run reports what it has done.
#pragma once

#include <atomic>
#include <string>

namespace apfctl {

// SIGINT, SIGTERM and SIGHUP end the process, after unfinished files are removed. (What the caller ignores stays
// ignored.)
void clean_up_at_signals();

// SIGINT sets it after watch_interrupts(). Long runs check it and report what they have done so far.
extern std::atomic<bool> g_interrupted;
// A run that reports at its end has nothing to show before; one that streams has written what it read so far.
enum class Watch { reports, streams };
// The first SIGINT only sets g_interrupted; the second one ends the process, and so does the first one if a run that
// reports does not call end_watch() within a second.
void watch_interrupts(Watch watch = Watch::reports);
// The run is over, what follows is its report.
void end_watch();

// True, after a message: the run was interrupted, and a part must not replace a file.
bool skip_interrupted(const std::string& path);

}  // namespace apfctl
