// One server's replay, its decisions and timeline going to files that the caller commits.
#pragma once

#include <apf/output.h>
#include <apf/replay.h>

namespace apf {

// Throws Error where the options do not fit together.
void check_options(const ReplayOptions& options);
// Without further replays: neither a spread nor ReplayReport::others.
ReplayReport replay_alone(const ReplayOptions& options, OutputFile& decisions, OutputFile& timeline);
// Whether hold_against_log() is done, where it takes further replays. What it replays itself is not held once more.
enum class HeldAgainstLog : bool { no, yes };
// With them; finish_lists() is still to come.
ReplayReport replay_into(const ReplayOptions& options, OutputFile& decisions, OutputFile& timeline,
                         HeldAgainstLog held = HeldAgainstLog::yes);
// replay(), before finish_lists().
ReplayReport replay_unsettled(const ReplayOptions& options, HeldAgainstLog held = HeldAgainstLog::yes);

}  // namespace apf
