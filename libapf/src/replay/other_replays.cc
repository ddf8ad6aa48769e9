#include "replay/other_replays.h"

#include <algorithm>

#include "logs/inflate.h"
#include "replay/one_reading.h"
#include "replay/replay_into.h"
#include "replay/run_options.h"
#include "replay/worst_case.h"

namespace apf {

bool may_be_undecided(const ReplayOptions& options) {
  return !options.recorded && options.unknown_waits == UnknownWaits::undecided;
}

bool can_be_read_again(const ReplayOptions& options) {
  return std::all_of(options.logs.begin(), options.logs.end(),
                     [&](const std::string& path) { return can_be_read_again(path, options.texts); });
}

ReplayOptions with_recorded_ends(const ReplayOptions& options) {
  ReplayOptions other = without_outputs(options);
  other.unknown_waits = UnknownWaits::recorded_ends;
  other.all_flows = true;
  other.top = kMostListed;  // whoever is in a list of the report is in the list of the other one
  return other;
}

void add_recorded_ends(const ReplayOptions& options, ReplayReport& report, const OneReading* log) {
  const ReplayOptions own = with_recorded_ends(options);
  ReplayReport other = log ? log->replay(own) : replay_unsettled(own);
  report.interrupted = other.interrupted;
  report.others.push_back(std::move(other));
}

}  // namespace apf
