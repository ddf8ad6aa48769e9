// Who sends: a user; where clients are distinguished, a user with a certain user agent.
#pragma once

#include <string>

namespace apf {

struct Requester {
  std::string user, user_agent;
};

}  // namespace apf
