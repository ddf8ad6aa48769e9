// Entries of ReplayOptions::client_models, client_timeouts, client_limits, scales and execution_scales that are about
// nobody in the log: names with a slip.
#pragma once

#include <vector>

#include <apf/replay.h>

#include "replay/prepare/run_numbers.h"

namespace apf {

// `numbers`: of the whole log. An entry for every client ("*") is never one of them.
std::vector<Remark> unused_entries(const ReplayOptions& options, const NumberTables& numbers);

bool is_of_unused_entry(const Remark& remark);

// Servers have clients of their own: an entry is unused if it is unused in the logs of all of them.
void keep_entries_unused_by_all(std::vector<ReplayReport>& servers);

}  // namespace apf
