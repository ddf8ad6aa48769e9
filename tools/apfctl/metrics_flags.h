// --metrics-series: the metrics of a replay over time.
#pragma once

#include <string>

#include <apf/replay.h>

#include "options.h"
#include "replay_output.h"

namespace apfctl {

struct MetricsSeriesFlags {
  std::string text;  // [STEP=]FILE; empty: not wanted

  std::string path() const { return text.substr(file_at()); }
  void declare(CommandLine& line);
  // `apf_on`: without API Priority and Fairness there is nothing to scrape. Throws UsageError.
  void check(bool apf_on) const;
  void set(apf::ReplayOptions& options) const;
  static void write(const std::string& path, const ReplayOutcome& outcome);  // empty: not wanted

 private:
  std::size_t file_at() const;  // in `text`
};

}  // namespace apfctl
