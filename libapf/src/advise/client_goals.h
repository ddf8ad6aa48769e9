// What is to hold for clients that are protected or isolated, and the levels that they get for it.
#pragma once

#include "advise/trials.h"

namespace apf {

// Whom to isolate, where the options want that: first all who are at fault by Trials::why(), then each of them alone.
// Clients that the options name are left out, and those who can have no level of their own while others can. Where the
// configuration, many clients or too few seats are at fault, the trials get the goals that levels refuse nobody. Throws
// Error: nobody is at fault otherwise.
std::vector<std::vector<std::string>> culprits_to_isolate(const SuggestOptions& options, Trials& trials);

// Adds the goals to those of the trials. Returns what every plan has: levels of their own for clients that the options
// name and for these culprits, unless they have some, which borrow from nobody where the client is isolated. Throws
// Error: the log has no requests of a client, or there can be no level for it.
Plan add_client_goals(const SuggestOptions& options, const std::vector<std::string>& culprits, Trials& trials);

}  // namespace apf
