// The outputs of a replay.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apf/replay.h>
#include <apf/report.h>

#include "flags/options.h"

namespace apfctl {

struct ReplayOutcome {
  std::vector<apf::ReplayReport> reports;  // one, or one for each server
  std::optional<apf::ReplayReport> total;  // of several servers
};

inline const std::vector<std::string> kReplayFormats = {"text",      "json",       "csv",           "csv-flowschemas",
                                                        "csv-flows", "csv-stages", "csv-agreement", "csv-spread",
                                                        "markdown",  "html",       "svg",           "wide"};
// Turns on what the requested formats need in the report. Throws UsageError.
void want_for_formats(const OutputFlags& output, apf::ReplayOptions& options);

// Texts end with the commands to type next; the title of a page has `files`, those of the configuration, so that the
// tabs of two replays of a log differ.
void write_replay(const OutputFlags& output, const CommandLine& line, const Console& console,
                  const ReplayOutcome& outcome, const apf::ReportFrame& frame, const std::string& files);
// For --systems: outcome.reports has one report for each system.
void write_systems(const OutputFlags& output, const Console& console, const ReplayOutcome& outcome,
                   const std::vector<std::string>& systems, int top, const apf::ReportFrame& frame);
void write_metrics(const std::string& path, const ReplayOutcome& outcome);

}  // namespace apfctl
