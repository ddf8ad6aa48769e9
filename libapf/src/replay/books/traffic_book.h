// What a comparison of replays looks at beside the report: how the requests of each user agent fared, and which
// FlowSchema took those of each flow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <apf/compare.h>

#include "replay/books/live_request.h"
#include "replay/books/run_context.h"
#include "replay/books/subjects.h"
#include "replay/books/tally.h"

namespace apf {

class TrafficBook {
 public:
  explicit TrafficBook(const OldConfigurations& old_side) : old_(old_side) {}
  // A request of the report is at its end.
  void add(const LiveRequest& request, const RequestOutcome& request_outcome);

  // How everybody fared: `report` is of the same run. Flows are named by their distinguisher under OLD's first
  // configuration, or under the first one that has one.
  Subjects subjects(const RunContext& context, const ReplayReport& report) const;
  // Requests to which OLD gives another FlowSchema or level.
  std::vector<MovedFlow> moved(const RunContext& context) const;

 private:
  struct Place {
    std::size_t old_configuration = 0;  // in force in OLD when they arrived
    std::uint32_t report = 0;           // where they went: index into reports
    std::uint64_t requests = 0;
  };
  struct Flow {
    RequestTally tally;
    std::vector<Place> places;
  };
  const OldConfigurations& old_;
  std::vector<RequestTally> agents_;  // by number of the user agent
  std::vector<Flow> flows_;           // by FlowId
};

}  // namespace apf
