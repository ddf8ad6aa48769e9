// The files that a plan's sets of flags name.
#pragma once

#include <string>
#include <vector>

#include <apf/sweep.h>

#include "flags/options.h"

namespace apfctl {

// Reads them into the plan, and adds their texts to `texts`. False: one has errors, which are printed. Throws
// apf::Error, with the line of the plan.
bool read_flag_files(apf::SweepPlan& plan, const Console& console, bool no_validate, std::vector<std::string>& texts);

}  // namespace apfctl
