// The log's own refusals and waits against those of its replay under what is assumed of the server that wrote it.
#pragma once

#include <span>

#include <apf/replay.h>

namespace apf {

// Whether a replay is far from what the log recorded.
bool contradicts_log(const ReplayReport& report);

// One of those that warn_of_contradiction() makes.
inline bool is_of_contradiction(const Remark& remark) {
  return is_contradiction(remark) || remark.kind == RemarkKind::seats_while_refusing;
}

// Puts what the log recorded at the head of the report's warnings, where the replay of the server that is said to have
// written it contradicts it, and so do those under what else may be true: ReplayReport::others, and `more`. Then
// another server wrote the log. In a what-if the report's RecordedReport is of the recorded server; what is replayed
// instead need not be like the log.
void warn_of_contradiction(const ReplayOptions& options, ReplayReport& report, std::span<const ReplayReport> more = {});

}  // namespace apf
