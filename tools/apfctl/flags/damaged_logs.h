// Logs whose compressed data is damaged or cut off: what comes after that is missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <apf/logs.h>
#include <apf/remarks.h>
#include <apf/sweep.h>

namespace apfctl {

struct Console;

// Throws apf::Error for the first of them: whether something holds for the whole log is not known. `flag` asks for it.
void refuse_damaged_logs(const std::string& flag, const std::vector<apf::Remark>& warnings, const char* cure);

// Of commands whose results do not say so: prints which logs are damaged, with -q as well. True: one is, so the exit
// code is 2, whatever was written.
bool report_damaged_logs(const std::vector<apf::Remark>& warnings);

// Of such commands, too: of `requests` of a log, `bad` cannot be classified. True: those are too many.
bool report_unclassified(std::uint64_t bad, std::uint64_t requests, const std::string& log, const Console& console);

// Of a sweep, whose report is written: what is wrong with which logs is in it. Throws apf::Error for a log without
// requests, one that is not whole or a selection; and where configurations are compared, for one that contradicts its
// replays.
struct SweepGate {
  bool allow_empty = false, allow_disagreement = false;
};
void refuse_doubtful_logs(const apf::SweepReport& report, const SweepGate& gate);

}  // namespace apfctl
