// Where the requests go that a log has of one client.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/clients.h"
#include "replay/passes/prepared_log.h"

namespace apf {

struct ClientRequests {
  bool names_users = false;             // the log says of some request whose it is
  bool any_left_out = false;            // the log has some of those who are left out
  std::vector<std::string> own_levels;  // to which they go, and nobody else's
  // FlowSchemas of the user's own files that are for this client alone, and lead to levels of others as well.
  std::vector<std::string> own_schemas;
  std::optional<FlowSchema> last_own;   // of those, and of those that lead to its levels or to ones of who is left out
  std::optional<FlowSchema> last_kept;  // of those that keep its requests, and of who is left out
  std::optional<FlowSchema> first_other;  // by which they go elsewhere, and from which a new one would take them
  bool goes_to_own(const std::string& level) const;
  // Whether there are some that its own levels could have, and do not.
  bool need_a_level() const { return first_other || !own_schemas.empty(); }
  // Behind which a new FlowSchema has to stand.
  const FlowSchema* last_before() const;
};

// Of requests under options.config. `less`: clients whose requests are left out, though `user` stands for them too.
ClientRequests requests_of(const PreparedLog& log, const ReplayOptions& options, const std::string& user,
                           const std::vector<std::string>& less = {});

}  // namespace apf
