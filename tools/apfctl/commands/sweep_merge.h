// sweep --merge: the report of a sweep, from the partial results of its tasks.
#pragma once

#include <string>
#include <vector>

#include <apf/sweep.h>

namespace apfctl {

// `paths`: partial results, or folders with them.
apf::SweepReport merge_results(const std::vector<std::string>& paths, bool allow_missing, const apf::SweepRows& rows);

}  // namespace apfctl
