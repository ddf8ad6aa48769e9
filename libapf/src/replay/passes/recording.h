// A log that was read once, for any number of replays, several at a time.
//
//   const Recording log = Recording::of_any_configuration(options);
//   ReplayOptions other = options;
//   other.config = …;
//   const ReplayReport report = log.replay(other);
//
// It is kept in one of two forms: PreparedLog, which is small and fast, and KeptReading, which has all that a replay
// may look at: clients that wait for their answers, what limits requests inside the handler.
#pragma once

#include <memory>
#include <vector>

#include <apf/replay.h>

#include "replay/passes/kept_reading.h"
#include "replay/passes/prepared_log.h"

namespace apf {

class Recording {
 public:
  // Whether a log of these options can be one of a single configuration, and whether the replay of the options
  // themselves can be of it: then it writes nothing but its report.
  static bool can_be_kept(const ReplayOptions& options);
  static bool is_for_report_alone(const ReplayOptions& options);
  // Replays may differ in jitter, in the phase of the clock, and in what the log leaves open. Throws Error as replay().
  static Recording of_one_configuration(const ReplayOptions& options);
  // They may differ in configuration, seats and load, too. `books`: those of all of them.
  static Recording of_any_configuration(const ReplayOptions& options, FlowBooks books = FlowBooks::of_flows);

  // What is classified belongs to this recording. Replays of one configuration need it once.
  struct Classes {
    std::shared_ptr<const PreparedLog::Classes> prepared;
    KeptReading::Classes kept;
  };
  Classes classify(const ReplayOptions& options) const;
  // One replay, and not the middle one of several: neither a spread nor ReplayReport::others.
  ReplayReport replay(const ReplayOptions& options) const { return replay(options, classify(options)); }
  // `decided`: as that of PreparedLog, where there is one.
  ReplayReport replay(const ReplayOptions& options, const Classes& classes,
                      const PreparedLog::Decided& decided = nullptr) const;
  // Of one configuration, side by side, the reports in the order of `options`; of flows, those that lists may name.
  std::vector<ReplayReport> replay_all(const std::vector<ReplayOptions>& options) const;

  // Whether apf::replay() of these options reports one of several replays that differ by chance alone: the one in the
  // middle, not `report` (see CentralRun).
  bool is_one_of_several(const ReplayOptions& options, const ReplayReport& report) const {
    return kept_ && prepared_ && prepared_->is_one_of_several(options, report);
  }
  ReplayReport median_replay(const ReplayOptions& options) const;

  // Those of clients that the log does not have, where the replay did not: of a PreparedLog.
  void name_unused_entries(const ReplayOptions& options, ReplayReport& report) const;
  // What arrives, whoever waits for answers: of any configuration.
  const PreparedLog& arrivals() const { return *prepared_; }

 private:
  Recording() = default;

  FlowBooks books_ = FlowBooks::of_flows;
  bool replays_kept_ = false;  // rather than prepared_
  std::unique_ptr<const PreparedLog> prepared_;
  // With prepared_: where replays need more, or one of a short log may be any of several.
  std::unique_ptr<KeptReading> kept_;
};

}  // namespace apf
