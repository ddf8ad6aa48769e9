// The report of a sweep in the formats that are asked for, written log by log.
#pragma once

#include <deque>

#include <apf/report.h>
#include <apf/sweep.h>

#include "flags/damaged_logs.h"
#include "flags/options.h"
#include "flags/report_output.h"

namespace apfctl {

class SweepOutput {
 public:
  static void declare(CommandLine& line, OutputFlags& flags);

  SweepOutput(const OutputFlags& flags, const Console& console);
  apf::SweepRows rows();
  // Writes what is still to be written; without it, no file changes.
  void finish(const apf::SweepReport& report, const Setup& setup);

 private:
  struct Pieces {
    apf::SweepPieces pieces;
    apf::OutputFile file, kept;  // nothing is shown before all is known
  };
  const OutputFlags& flags_;
  const Console& console_;
  std::deque<Pieces> pieces_;
};

inline constexpr const char* kAllowEmptyHelp =
    "Accept empty or incomplete logs. Without it, apfctl exits 2 if a log has no requests, its compressed data is "
    "damaged, more than 10 % of its lines are unusable, or it is a selection: without ends, only refusals, only one "
    "user, only one verb, only slow requests, or without reads.";

// Writes the report. Returns the exit code; throws apf::Error for logs that decide nothing.
int finish_sweep(SweepOutput& output, apf::SweepReport& report, const SweepGate& gate, const Setup& setup);

}  // namespace apfctl
