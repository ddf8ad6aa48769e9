// What logs hold, and what a replay of them misses: the last part of what `apfctl log` says.
#pragma once

#include <vector>

#include <apf/logs_report.h>
#include <apf/output.h>

namespace apf {

std::string replayable_sentence(const LogStat& stat, const LogSummaryFrame& frame);
Passage replayable_passage(const LogStat& stat, const LogSummaryFrame& frame);
std::vector<Passage> log_stat_passages(const LogStat& stat, const LogSummaryFrame& frame);
// Members of the object that is open.
void write_log_stat(JsonWriter& json, const LogStat& stat, const LogSummaryFrame& frame);

}  // namespace apf
