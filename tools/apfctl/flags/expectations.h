// --expect of all reports.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <apf/expectation.h>
#include <apf/log_question.h>
#include <apf/replay.h>

#include "flags/options.h"
#include "shared/command_line.h"

namespace apfctl {

// The names that expectations on a replay may use, and what limits requests, as a report without requests.
apf::ReplayReport names_of(const apf::ReplayOptions& options);

class Expectations {
 public:
  // `facts`: of a report that shows what may be written. Throws apf::Error.
  Expectations(const std::vector<std::string>& texts, const apf::Facts& facts);
  bool empty() const { return entries_.empty(); }
  // Whether one is about this metric.
  bool has(std::string_view metric) const;
  // Throws apf::Error for a name that is in none of the facts, and for what no report can fail.
  void check_names(const apf::Facts& facts) const { results(facts); }
  // `allow_empty`: they may be about what has no request.
  std::vector<apf::ExpectationResult> results(const apf::Facts& facts, bool allow_empty = false) const;
  // "--expect" where the log has to be good enough for one; coverage is decided by the server's counters, whatever the
  // log is like.
  const char* gate_flag() const;
  // Throws apf::Error if a log is not good enough to decide them.
  void refuse_undecided(const apf::LogQuestion& question, std::span<const apf::ReplayReport> reports) const;

 private:
  std::vector<apf::Expectation> entries_;
};

// Throws apf::Error where the log does not decide what `flag` asks for; an empty one asks for nothing.
void refuse_undecided(const std::string& flag, const apf::LogQuestion& question, const apf::ReplayReport& report);
// Throws apf::Error for one that the report does not decide: ExpectationResult::why_open. `flag` asks for it.
void refuse_open(const char* flag, const std::vector<apf::ExpectationResult>& results);
// Says which do not hold, and with --verbose which do. Returns the exit code.
int print_unmet(const char* command, const std::vector<apf::ExpectationResult>& results, const Console& console);

}  // namespace apfctl
