// Several replays of a log for one report, of one reading of the log.
#pragma once

#include <memory>
#include <vector>

#include <apf/replay.h>

namespace apf {

class KeptReading;
class PreparedLog;

// Whether replays with these options, which differ in jitter and in what the log leaves open, can be.
bool can_be_read_once(const ReplayOptions& options);
// Whether the first of them can be, too: it writes nothing but its report.
bool is_for_report_alone(const ReplayOptions& options);

class OneReading {
 public:
  // Reads the log. Throws Error as replay() does.
  explicit OneReading(const ReplayOptions& options);
  ~OneReading();

  // Without further replays: neither a spread nor ReplayReport::others.
  ReplayReport replay(const ReplayOptions& options) const;
  // Several at a time, the reports in the order of `options`.
  std::vector<ReplayReport> replay_all(const std::vector<ReplayOptions>& options) const;

 private:
  std::unique_ptr<const PreparedLog> prepared_;
  std::unique_ptr<KeptReading> kept_;  // where a PreparedLog keeps too little
};

// By `log`; null: each replay reads the log again, one after the other, up to the first that is interrupted.
std::vector<ReplayReport> replay_all(const std::vector<ReplayOptions>& options, const OneReading* log);

}  // namespace apf
