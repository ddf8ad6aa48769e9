// What is to hold for clients that are protected or isolated, and the levels that they get for it.
#pragma once

#include "advise/trials.h"

namespace apf {

// Adds the goals to those of the trials. Returns what every plan has: levels of their own for these clients, unless
// they have some, which borrow from nobody where the client is isolated. Throws Error: the log has no requests of a
// client, or there can be no level for it.
Plan add_client_goals(const SuggestOptions& options, Trials& trials);

}  // namespace apf
