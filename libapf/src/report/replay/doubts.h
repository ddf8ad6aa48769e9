// What speaks against a replay, which its report says before any figure of it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <apf/replay.h>

namespace apf {

// One of those that doubts_of() words.
bool is_doubt(const Remark& remark);
// That the log is a selection; what it recorded that the replay contradicts, what its seats were and what to give; that
// too much of it cannot be used. Empty: nothing speaks against the replay.
std::vector<std::string> doubts_of(const ReplayReport& report);
// The same of remarks about a log and about its replay.
std::vector<std::string> sentences_of_doubt(std::span<const Remark> of_log, std::span<const Remark> of_replay);

}  // namespace apf
