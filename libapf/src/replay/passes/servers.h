// Reports of several servers, added up where adding is right.
#pragma once

#include <vector>

#include <apf/replay.h>

namespace apf {

// Adds up what one stage did; users of several servers may be the same ones, so requesters are left out.
void add_stage(std::vector<StageReport>& total, const StageReport& stage);

// Of those with all their flows: the sum has them all, too. `top`: of lists of flows.
ReplayReport sum_of(std::vector<ReplayReport>& servers, int top);

}  // namespace apf
