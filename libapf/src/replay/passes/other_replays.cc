#include "replay/passes/other_replays.h"

#include "replay/engine/run_options.h"
#include "replay/passes/one_reading.h"
#include "replay/passes/replay_into.h"

namespace apf {

void add_recorded_ends(const ReplayOptions& options, ReplayReport& report, const OneReading* log) {
  const ReplayOptions own = with_recorded_ends(options);
  ReplayReport other = log ? log->replay(own) : replay_unsettled(own);
  report.interrupted = other.interrupted;
  report.others.push_back(std::move(other));
}

}  // namespace apf
