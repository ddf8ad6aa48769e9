// Where the requests go that a log has of one client.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/plan.h"
#include "replay/prepared_log.h"

namespace apf {

struct ClientRequests {
  bool any_left_out = false;              // the log has some of those who are left out
  std::vector<std::string> own_levels;    // to which they go, and nobody else's
  std::optional<FlowSchema> last_own;     // of FlowSchemas that lead there, and of clients that are left out
  std::optional<FlowSchema> first_other;  // by which they go elsewhere, and from which a new one would take them
  bool goes_to_own(const std::string& level) const;
};

// Of requests under options.config. `less`: clients whose requests are left out, though `user` stands for them too.
// What goes to an exempt level stays there, and so do heartbeats of nodes and leader election (APF202).
ClientRequests requests_of(const PreparedLog& log, const ReplayOptions& options, const std::string& user,
                           const std::vector<std::string>& less = {});

// Whether a FlowSchema keeps its requests, whoever sends them.
bool keeps_its_requests(const Config& config, const std::string& flow_schema);
// Whether such a FlowSchema leads to the level.
bool serves_system(const Config& config, const std::string& level);

}  // namespace apf
