// The outputs of a replay, and what is expected of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apf/expectation.h>
#include <apf/replay.h>
#include <apf/report.h>

#include "options.h"

namespace apfctl {

struct ReplayOutcome {
  std::vector<apf::ReplayReport> reports;  // one, or one for each server
  std::optional<apf::ReplayReport> total;  // of several servers
};

inline const std::vector<std::string> kReplayFormats = {"text",      "json",     "csv", "csv-flowschemas",
                                                        "csv-flows", "markdown", "html"};
// What the formats asked for need to be in the report.
void want_for_formats(const OutputFlags& output, apf::ReplayOptions& options);

void write_replay(const OutputFlags& output, const Console& console, const ReplayOutcome& outcome,
                  const apf::ReportFrame& frame);
void write_metrics(const std::string& path, bool aliases, const ReplayOutcome& outcome);

// --expect [SERVER:]SUBJECT.METRIC OP VALUE
class Expectations {
 public:
  // `servers`: their names, where there are several. Throws UsageError and apf::Error.
  Expectations(const std::vector<std::string>& texts, const std::vector<std::string>& servers);
  // Throws apf::Error for a name that no configuration of the run holds.
  void check_subjects(const apf::ReplayOptions& options) const;
  // Without a server's name it must hold for every one of them.
  std::vector<apf::ExpectationResult> results(const ReplayOutcome& outcome) const;

 private:
  struct Entry {
    std::string server;  // empty: any
    apf::Expectation expectation;
  };
  std::vector<Entry> entries_;
};

}  // namespace apfctl
