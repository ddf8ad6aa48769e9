// Tallies of flows added up to FlowSchemas, levels and the total.
#pragma once

#include <map>
#include <string>

#include "replay/books/run_context.h"

namespace apf {

// Fills total, schemas, flows and the lists of flows; returns the tallies of levels by name.
std::map<std::string, RequestTally> fill_totals(ReplayReport& report, const RunContext& context);

}  // namespace apf
