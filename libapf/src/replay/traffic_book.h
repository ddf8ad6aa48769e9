// What a comparison of replays looks at beside the report: how the requests of each user agent fared, and which
// FlowSchema took those of each flow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <apf/advise.h>

#include "replay/live_request.h"
#include "replay/run_context.h"
#include "replay/sides.h"
#include "replay/tally.h"

namespace apf {

class TrafficBook {
 public:
  // A request of the report is at its end.
  void add(const LiveRequest& request, const Fate& fate);

  // How everybody fared: `report` is of the same run. Flows are named by their distinguisher under the configuration of
  // that number, or under the first one that has one.
  Subjects subjects(const RunContext& context, const ReplayReport& report, std::size_t configuration) const;
  // Requests to which the configuration of that number gives another FlowSchema or level.
  std::vector<MovedFlow> moved_from(const RunContext& context, std::size_t configuration) const;

 private:
  struct Flow {
    RequestTally tally;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> places;  // where they went: index into reports, requests
  };
  std::vector<RequestTally> agents_;  // by number of the user agent
  std::vector<Flow> flows_;           // by FlowId
};

}  // namespace apf
