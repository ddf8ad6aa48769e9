// --metrics-series, --metrics-step: the metrics of a replay over time.
#pragma once

#include <optional>
#include <string>

#include <apf/replay.h>

#include "options.h"
#include "replay_output.h"

namespace apfctl {

struct MetricsSeriesFlags {
  std::string path;  // empty: not wanted
  std::optional<std::string> step;

  void declare(CommandLine& line);
  // `apf_on`: without API Priority and Fairness there is nothing to scrape. Throws UsageError.
  void check(bool apf_on) const;
  void set(apf::ReplayOptions& options) const;
  void write(const ReplayOutcome& outcome) const;
};

}  // namespace apfctl
