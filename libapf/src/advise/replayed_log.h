// The log that advice is about: read once, replayed often. Without clients that wait it is a PreparedLog, which is
// small and fast; with them, all that a replay looks at is kept beside it.
#pragma once

#include <cstdint>
#include <memory>

#include <apf/replay.h>

#include "replay/passes/kept_reading.h"
#include "replay/passes/prepared_log.h"

namespace apf {

class ReplayedLog {
 public:
  // Reads the log. Throws Error as replay() does. `books`: those of all its replays.
  explicit ReplayedLog(const ReplayOptions& options, FlowBooks books = FlowBooks::of_flows);

  // As those of PreparedLog. What is classified belongs to this log.
  struct Classes {
    std::shared_ptr<const PreparedLog::Classes> prepared;
    KeptReading::Classes kept;
  };
  Classes classify(const ReplayOptions& options) const;
  ReplayReport replay(const ReplayOptions& options) const { return replay(options, classify(options)); }
  // `decided`: as that of PreparedLog, where there is one.
  ReplayReport replay(const ReplayOptions& options, const Classes& classes,
                      const PreparedLog::Decided& decided = nullptr) const;

  // Whether replay() of these options reports one of several replays that differ by chance alone: the median one,
  // not `report` (see CentralRun).
  bool is_one_of_several(const ReplayOptions& options, const ReplayReport& report) const {
    return (usual_ || kept_) && prepared_->is_one_of_several(options, report);
  }
  ReplayReport median_replay(const ReplayOptions& options) const;

  // Those of clients that the log does not have, where the replay did not: of a PreparedLog.
  void name_unused_entries(const ReplayOptions& options, ReplayReport& report) const;

  // What arrives, whoever waits for answers.
  const PreparedLog& arrivals() const { return *prepared_; }

 private:
  const FlowBooks books_;
  std::unique_ptr<KeptReading> kept_;   // of clients that wait
  std::unique_ptr<KeptReading> usual_;  // of a short log without them, where one replay may be any of several
  std::unique_ptr<const PreparedLog> prepared_;
};

}  // namespace apf
