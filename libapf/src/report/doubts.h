// What speaks against a replay, which its report says before any figure of it.
#pragma once

#include <string>
#include <vector>

#include <apf/replay.h>

namespace apf {

// One of those that doubts_of() words.
bool is_doubt(const Remark& remark);
// What the log recorded that the replay contradicts, what its seats were and what to give; that the log is a selection;
// that too much of it cannot be used. Empty: nothing speaks against the replay.
std::vector<std::string> doubts_of(const ReplayReport& report);
// "200 of 400 lines cannot be used: …"; empty where all can.
std::string unusable_sentence(const LogReport& report);

}  // namespace apf
