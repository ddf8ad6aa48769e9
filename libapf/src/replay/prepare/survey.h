// A first pass over logs that can be read twice: what a replay must know before its place in the log. The HTTP log has
// a watch when it ends; the server's clock shows late, if at all; watches that began before the log show themselves by
// their ends.
#pragma once

#include <string>
#include <vector>

#include <apf/replay.h>

#include "logs/event_reader.h"
#include "replay/prepare/prepare.h"
#include "replay/prepare/run_numbers.h"
#include "replay/prepare/server_clock.h"

namespace apf {

struct SurveyedWatch {
  PreparedEvent event;
  Sender sender;  // for watches that only the HTTP log has
};

class Survey {
 public:
  // Which of the tracks a first pass reads: of the HTTP log all, of audit logs those whose beginning is to be left out
  // of the report.
  static std::vector<LogTrack> tracks_to_read(const std::vector<LogTrack>& tracks, const ReplayOptions& options);

  // Reads them. Notes go to the clock. Workers are numbered from `first_worker` on; their flows become the run's.
  // Returns the next number.
  std::uint32_t read(const std::vector<LogTrack>& tracks, const ReplayOptions& options, const PrepareContext& context,
                     GlobalNumbers& numbers, ServerClock& clock, std::uint32_t first_worker);

  bool done() const { return done_; }
  // All watches of the HTTP log are known beforehand: its lines of them need not be heeded again.
  bool has_all_watches() const { return done_ && !overfull_; }
  bool overfull() const { return overfull_; }
  // By arrival.
  const std::vector<SurveyedWatch>& watches() const { return watches_; }

 private:
  std::vector<SurveyedWatch> watches_;
  bool done_ = false, overfull_ = false;
};

}  // namespace apf
