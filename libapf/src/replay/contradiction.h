// The log's own refusals and waits against those of its replay under what is assumed of the server that wrote it.
#pragma once

#include <span>

#include <apf/replay.h>

namespace apf {

// Whether a replay is far from what the log recorded.
bool contradicts_log(const ReplayReport& report);

// One of those that warn_of_contradiction() makes.
inline bool is_of_contradiction(const Remark& remark) {
  return remark.kind == RemarkKind::log_contradicts_replay || remark.kind == RemarkKind::seats_while_refusing;
}

// Whether the replayed server is the one that is said to have written the log. Else the replay is a what-if, which need
// not be like the log.
bool is_recorded_server(const ReplayOptions& options);

// Puts what the log recorded at the head of the report's warnings, where the replay contradicts it, and so do those
// under what else may be true: ReplayReport::others, and `more`. Then another server wrote the log than is assumed.
void warn_of_contradiction(ReplayReport& report, std::span<const ReplayReport> more = {});

}  // namespace apf
