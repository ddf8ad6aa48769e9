// Whether a log is good enough for what is to be decided by it: --expect, --goal.
#pragma once

#include <string>
#include <vector>

#include <apf/replay.h>
#include <apf/report.h>

#include "command_line.h"
#include "recorded_flags.h"

namespace apfctl {

// --allow-disagreement.
void declare_allow_disagreement(CommandLine& line, bool& allowed);

struct LogGate {
  bool allow_empty = false, allow_disagreement = false;
  bool replayed_seats = false;  // said of the replayed server
  // What was said of the server that wrote the log.
  bool seats = false, objects = false, config = false;
  bool same = false;             // --recorded config=same
  bool other = false;            // it is not the replayed one: its flags begin with --recorded-
  bool execution = false;        // --refused-execution
  const char* of_config = "-f";  // the flag of its objects, where it is the replayed one

  // By the flags of a what-if, and by the numbers of the replayed server.
  void note(const RecordedFlags& recorded, bool inflight_given, bool objects_given);

  // What most likely differs, for the remark about it; where nothing differs, that seats are assumed.
  void add_hint(apf::ReplayReport& report) const;
  // Throws apf::Error: no request has an end, so that there is nothing to replay.
  void refuse_without_ends(const apf::ReplayReport& report) const;
  // Throws apf::Error: what `flag` asks for is not decided, by unusable lines, by a selection, or by a contradiction.
  // An empty `flag` asks for nothing: only what is said to be certain must be so, and the log must be whole.
  void refuse_undecided(const std::string& flag, const apf::ReplayReport& report) const;
  // Marks what is expected of the report, where that would be refused.
  void mark_undecided(const apf::ReplayReport& report, std::vector<apf::ExpectationResult>& results) const;

 private:
  // Empty: it is decided.
  std::string why_undecided(const std::string& flag, const apf::ReplayReport& report) const;
  bool is_vouched_for(const apf::ReplayReport& report) const;
};

// "600 seats are assumed: …", where add_hint() has found so; else empty.
std::string assumed_seats(const apf::ReplayReport& report);

}  // namespace apfctl
