// The stages of a replay: the files of --event-rate-limit and --quota, and what limits requests in words.
#pragma once

#include <string>

#include <apf/replay.h>

#include "flags/options.h"
#include "flags/table_flags.h"

namespace apfctl {

bool has_apf_off(const TableFlags& table);
// Loads the files. False if a configuration has errors, which it prints. Throws apf::Error if there is none.
bool load_stages(const TableFlags& table, apf::ReplayOptions& options, const Console& console, bool no_validate);
// Describes the limits for the report: seats, or limits of requests in flight. `seats_by_log`: the server's own log
// names them.
std::string stages_origin(const TableFlags& table, const InflightFlags& inflight, bool seats_by_log);

}  // namespace apfctl
