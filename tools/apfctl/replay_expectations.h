// The expectations of a replay: --expect, --expect-agreement.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apf/replay.h>
#include <apf/report.h>

#include "log_gate.h"
#include "replay_output.h"

namespace apfctl {

// "99%", "99.5 %", "0.99"; nothing for an empty text. Throws UsageError.
std::optional<double> parse_share(const char* flag, const std::string& text);

// Says which do not hold, and with --verbose which do. Returns the exit code.
int print_unmet(const char* command, const std::vector<apf::ExpectationResult>& results, const Console& console);

class Expectations {
 public:
  // `texts`: [SERVER:]SUBJECT.METRIC OP VALUE; `agreement`: a share such as 99%, or empty; `servers`: the names of
  // several servers. Throws UsageError and apf::Error.
  Expectations(const std::vector<std::string>& texts, const std::string& agreement,
               const std::vector<std::string>& servers);
  // Throws apf::Error for a name that is in no configuration of the run.
  void check_subjects(const apf::ReplayOptions& options) const;
  // An expectation without a server must hold for every server; the agreement must also hold for the total.
  std::vector<apf::ExpectationResult> results(const ReplayOutcome& outcome) const;
  // Throws apf::Error if there are expectations, but no request in the report that they are about.
  void refuse_nothing(const ReplayOutcome& outcome) const;
  // Throws apf::Error if a log is not good enough to decide them.
  void refuse_undecided(const LogGate& gate, const ReplayOutcome& outcome) const;

 private:
  struct Entry {
    std::string server;  // empty: any
    apf::Expectation expectation;
  };
  void add_agreement(const ReplayOutcome& outcome, std::vector<apf::ExpectationResult>& out) const;

  std::vector<Entry> entries_;
  std::optional<double> agreement_;
};

}  // namespace apfctl
