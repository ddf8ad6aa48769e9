// The log's own refusals and waits against those of its replay under what is assumed of the server that wrote it.
#pragma once

#include <functional>
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
// instead need not be like the log. Where differs_from_log(), hold_against_log() has done it.
void warn_of_contradiction(const ReplayOptions& options, ReplayReport& report, std::span<const ReplayReport> more = {});

// The same with further replays of the log as they are needed: under what else may be true, and, where
// differs_from_log(), of the log's own load, or with API Priority and Fairness: they are held against the log in place
// of `report`. Returns whether anything was compared.
bool hold_against_log(const ReplayOptions& options, ReplayReport& report,
                      const std::function<ReplayReport(const ReplayOptions&)>& replay);

}  // namespace apf
