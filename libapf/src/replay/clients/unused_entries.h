// Entries of ReplayOptions::client_models, client_timeouts and scales that are about no client of the log: names with a
// slip.
#pragma once

#include <vector>

#include <apf/replay.h>

#include "replay/prepare/requester.h"

namespace apf {

// `clients`: all of the log. An entry for every client ("*") is never one of them.
std::vector<Remark> unused_entries(const ReplayOptions& options, const std::vector<Requester>& clients);

bool is_of_unused_entry(const Remark& remark);

// Servers have clients of their own: an entry is unused if it is unused in the logs of all of them.
void keep_entries_unused_by_all(std::vector<ReplayReport>& servers);

}  // namespace apf
