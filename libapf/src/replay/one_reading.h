// Further replays of a log for one report, of one reading of the log: see PreparedLog.
#pragma once

#include <memory>
#include <vector>

#include <apf/replay.h>

#include "replay/prepared_log.h"

namespace apf {

// Whether replays with these options, which differ in jitter and in what the log leaves open, can be.
bool can_be_read_once(const ReplayOptions& options);
// Whether the first of them can be, too: it writes nothing but its report.
bool is_for_report_alone(const ReplayOptions& options);
std::unique_ptr<const PreparedLog> read_once(const ReplayOptions& options);

// Several at a time, the reports in the order of `options`. Without a log each reads it again, one after the other, up
// to the first that is interrupted.
std::vector<ReplayReport> replay_all(const std::vector<ReplayOptions>& options, const PreparedLog* log);

}  // namespace apf
