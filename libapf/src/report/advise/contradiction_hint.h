// What most likely differs, where a log contradicts its replay.
#pragma once

#include <string>

#include <apf/log_question.h>

namespace apf {

// Null: the report has none of this kind.
const Remark* find_remark(const std::vector<Remark>& remarks, RemarkKind kind);
// What the log contradicts is a replay of max-in-flight, not one of API Priority and Fairness that goes before it.
bool is_of_in_flight(const ReplayReport& report);
// The seats of the server that wrote the log are in its own log.
bool are_seats_logged(const ReplayReport& report);
// The likeliest first. `contradiction`: the report's own.
std::string contradiction_hint(const ReplayReport& report, const Remark& contradiction, const LogEvidence& evidence,
                               const std::string& config_flag);

}  // namespace apf
